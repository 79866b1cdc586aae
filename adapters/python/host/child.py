"""Runs Python endpoints in a process of its own: frames of a length and a JSON text over its standard streams."""

import os
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from svc._dispatch import Dispatcher  # noqa: E402

sys.path.pop(0)

class Frames:
    """Texts to and from the host; user code gets neither of the two streams."""

    def __init__(self):
        import _thread

        self._in = open(os.dup(0), "rb", buffering=1 << 16)
        self._out = os.dup(1)
        self._lock = _thread.allocate_lock()
        self._pid = os.getpid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        sys.stdout.reconfigure(line_buffering=True)
        self._end_with_host(_thread)

    def exchange(self, text):
        """Sends a text, and waits for the next one; threads wait for each other."""
        if os.getpid() != self._pid:
            raise RuntimeError("svc.runtime was used in a process that was forked from a call's.")
        with self._lock:
            self.send(text)
            answer = self.receive()
        if answer is None:
            os._exit(0)
        return answer

    def send(self, text):
        """Sends a text."""
        body = text.encode("utf-8", "surrogatepass")
        left = memoryview(struct.pack(">I", len(body)) + body)
        while left:
            left = left[os.write(self._out, left) :]

    def receive(self):
        """The next text of the host; None when it is gone."""
        header = self._in.read(4)
        if len(header) < 4:
            return None
        return self._in.read(struct.unpack(">I", header)[0]).decode("utf-8", "surrogatepass")

    def _end_with_host(self, _thread):
        """Whatever runs here ends when the host is gone, also when nobody could say so."""
        import select

        if not hasattr(select, "poll"):
            return
        poll = select.poll()
        poll.register(self._in.fileno(), getattr(select, "POLLRDHUP", 0))

        def wait():
            poll.poll()
            os._exit(0)

        _thread.start_new_thread(wait, ())


def main():
    """Answers the host until it is gone, or says stop."""
    stopped = '{"op": "stopped"'
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A group of its own: it can be ended with all that functions start. Not a session, which systems schedule by itself.
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    frames = Frames()
    dispatcher = Dispatcher(frames.exchange)
    pid = os.getpid()
    text = frames.receive()
    while text is not None:
        answer = dispatcher.handle(text)
        if os.getpid() != pid:
            os._exit(0)
        if sys.stdout is not None:
            sys.stdout.flush()
        if answer.startswith(stopped):
            frames.send(answer)
            return
        text = frames.exchange(answer)


main()
