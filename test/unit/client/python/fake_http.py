"""A server for sequential requests whose answers a test defines, byte for byte if needed."""

import socket
import threading


class FakeServer:
    """Answers each request with the bytes that `handler(head, body)` returns, or disconnects if it returns None."""

    def __init__(self, handler):
        self.handler = handler
        self.requests = []
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self):
        """Refuses connections from now on."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # Wakes the accepting thread, which would keep the socket open.
        except OSError:
            pass
        self._socket.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, client.makefile("rb") as stream:
            try:
                while self._answer(client, stream):
                    pass
            except OSError:
                pass  # The client went away.

    def _answer(self, client, stream):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return False
            head += line
        text = head.decode("latin-1")
        body = stream.read(length_of(text))
        self.requests.append((text, body))
        answer = self.handler(text, body)
        if answer is None:
            return False
        client.sendall(answer)
        return not isinstance(answer, CutOff) and b"connection: close" not in answer.lower()


class CutOff(bytes):
    """An answer after which the connection ends."""


def length_of(head):
    """Returns the announced length of a body, or 0."""
    for line in head.split("\r\n"):
        if line.lower().startswith("content-length:"):
            return int(line.split(":")[1])
    return 0


def header(head, name):
    """Returns a header's value, or None."""
    for line in head.split("\r\n"):
        if line.lower().startswith(f"{name.lower()}:"):
            return line.split(":", 1)[1].strip()
    return None


def http(status, body=b"", **headers):
    """Returns an answer. Underscores in the names of headers stand for hyphens."""
    if isinstance(body, str):
        body = body.encode()
    sent = {"content_length": len(body), **headers}
    lines = [f"HTTP/1.1 {status} x", *(f"{name.replace('_', '-')}: {value}" for name, value in sent.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
