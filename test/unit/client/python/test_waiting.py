"""Tests that the threads of a process are queued for an interface in the order of arrival."""

import contextlib
import os
import threading
import time
import unittest
from unittest import mock

from edgetape import waiting
from edgetape.errors import Unavailable
from edgetape.waiting import one_at_a_time
from interrupts import Interrupts, places_of


def permit(key, interface, work, max_wait=10.0):
    return one_at_a_time(key, interface, max_wait, work)


class Permits(unittest.TestCase):
    def test_are_granted_in_the_order_of_the_calls(self):
        order, threads = [], []

        def ask_20_times():
            for number in range(20):
                entered = threading.Event()
                threads.append(threading.Thread(target=self.take, args=(number, order, entered)))
                threads[-1].start()
                entered.wait()
                time.sleep(0.005)  # Time for the thread to start waiting.
            self.assertEqual(order, [])

        permit("key", "orders", ask_20_times)
        for thread in threads:
            thread.join()
        self.assertEqual(order, list(range(20)))

    @staticmethod
    def take(number, order, entered):
        entered.set()
        permit("key", "orders", lambda: order.append(number))

    def test_are_held_by_one_thread_at_a_time(self):
        inside, most = [0], [0]

        def enter():
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1

        def work():
            for _ in range(200):
                permit("key", "busy", enter)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(most[0], 1)

    def test_of_other_interfaces_and_keys_are_granted_at_once(self):
        permit("key", "a", lambda: permit("key", "b", lambda: permit("other key", "a", lambda: None)))

    def test_are_released_after_an_error(self):
        for _ in range(2):
            with self.assertRaises(KeyError):
                permit("key", "failing", lambda: {}["missing"])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_held_by_a_thread_are_free_in_a_forked_child(self):
        def fork():
            child = os.fork()
            if child == 0:
                permit("key", "forked", lambda: os._exit(7))
            return child

        child = permit("key", "forked", fork)
        self.assertEqual(os.waitpid(child, 0)[1] >> 8, 7)


class Interrupted(unittest.TestCase):
    def test_permits_are_released_wherever_the_interrupt_occurs(self):
        places = places_of(lambda: permit("key", "lines", lambda: None), ("waiting",))
        self.assertGreater(len(places), 15)
        for at in places:
            with self.subTest(at=at):
                try:
                    with Interrupts(("waiting",), at):
                        permit("key", "lines", lambda: None)
                except KeyboardInterrupt as interrupt:
                    kept = interrupt
                self.assertTrue(self.is_free("lines"), kept)

    def test_permits_are_released_after_an_interrupt_of_a_waiting_thread(self):
        # Every wait ends immediately, so that each run executes the same lines.
        for at in range(1, 60):
            done, held = threading.Event(), threading.Event()

            def hold(done=done, held=held):
                held.set()
                done.wait(10)

            holder = threading.Thread(target=permit, args=("key", "waiting", hold))
            holder.start()
            held.wait()
            with contextlib.suppress(KeyboardInterrupt), mock.patch("edgetape.waiting._LOOK_EVERY_S", 0.001):
                threading.Timer(0.01, done.set).start()
                with Interrupts(("waiting",), at):
                    permit("key", "waiting", lambda: None)
            done.set()
            holder.join()
            self.assertTrue(self.is_free("waiting"), at)

    def test_permits_left_by_an_interrupt_are_released(self):
        left = waiting._Permit()
        waiting._queues.setdefault(("key", "left"), waiting.deque()).append(left)
        self.assertEqual(permit("key", "left", lambda: 1), 1)
        thread = threading.Thread(target=lambda: waiting._queues["key", "left"].append(waiting._Permit()))
        thread.start()
        thread.join()
        self.assertTrue(self.is_free("left"))

    def test_waiting_for_a_long_request_raises_unavailable(self):
        done, held = threading.Event(), threading.Event()

        def hold():
            held.set()
            done.wait(10)

        holder = threading.Thread(target=permit, args=("key", "endless", hold))
        holder.start()
        held.wait()
        with mock.patch("edgetape.waiting._LONGEST_REQUEST_S", 0.0), self.assertRaises(Unavailable):
            permit("key", "endless", lambda: None, max_wait=0.05)
        done.set()
        holder.join()
        self.assertTrue(self.is_free("endless"))

    @staticmethod
    def is_free(interface):
        entered = threading.Event()
        thread = threading.Thread(target=permit, args=("key", interface, entered.set), daemon=True)
        thread.start()
        return entered.wait(2.0)
