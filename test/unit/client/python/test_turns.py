"""Threads of one process take turns on an interface, in the order they came."""

import os
import threading
import time
import unittest

from edgetape.turns import turn


class Turns(unittest.TestCase):
    def test_are_given_in_the_order_of_asking(self):
        order, threads = [], []
        with turn("key", "orders"):
            for number in range(20):
                entered = threading.Event()
                threads.append(threading.Thread(target=self.take, args=(number, order, entered)))
                threads[-1].start()
                entered.wait()
                time.sleep(0.005)  # Until it waits.
            self.assertEqual(order, [])
        for thread in threads:
            thread.join()
        self.assertEqual(order, list(range(20)))

    @staticmethod
    def take(number, order, entered):
        entered.set()
        with turn("key", "orders"):
            order.append(number)

    def test_never_let_two_in(self):
        inside, most = [0], [0]

        def work():
            for _ in range(200):
                with turn("key", "busy"):
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    inside[0] -= 1

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(most[0], 1)

    def test_of_other_interfaces_and_keys_do_not_wait(self):
        with turn("key", "a"), turn("key", "b"), turn("other key", "a"):
            pass

    def test_go_on_after_an_error(self):
        for _ in range(2):
            with self.assertRaises(KeyError), turn("key", "failing"):
                raise KeyError

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_held_by_a_thread_are_free_in_a_forked_child(self):
        with turn("key", "forked"):
            child = os.fork()
            if child == 0:
                with turn("key", "forked"):
                    os._exit(7)
        self.assertEqual(os.waitpid(child, 0)[1] >> 8, 7)


if __name__ == "__main__":
    unittest.main()
