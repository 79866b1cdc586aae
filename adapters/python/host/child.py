"""Runs Python endpoints in a child process. Each frame on its streams is a length and a JSON text."""

import os
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from svc._dispatch import Dispatcher  # noqa: E402

sys.path.pop(0)

class Frames:
    """Exchanges texts with the host over copies of stdin and stdout, which user code cannot reach."""

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
        """Sends a text and waits for the next one. Threads take turns."""
        if os.getpid() != self._pid:
            raise RuntimeError("svc.runtime was used in a process that a call has forked.")
        with self._lock:
            self.send(text)
            answer = self.receive()
        if answer is None:
            os._exit(0)
        return answer

    def send(self, text):
        """Sends a JSON text."""
        body = text.encode()
        left = memoryview(struct.pack(">I", len(body)) + body)
        while left:
            left = left[os.write(self._out, left) :]

    def receive(self):
        """Returns the next text of the host; None if the host has ended."""
        header = self._in.read(4)
        if len(header) < 4:
            return None
        return self._in.read(struct.unpack(">I", header)[0]).decode("utf-8", "surrogatepass")

    def _end_with_host(self, _thread):
        """Ends this process when the host has ended, even if it was killed."""
        import select

        if not hasattr(select, "poll"):
            return
        poll = select.poll()
        poll.register(self._in.fileno(), getattr(select, "POLLRDHUP", 0))

        def wait():
            poll.poll()
            os._exit(0)

        _thread.start_new_thread(wait, ())


def flush():
    """Lets no call keep an unfinished line, which would appear among the lines of a later call."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except Exception:
            # A function may have closed or replaced the stream.
            pass


def main():
    """Answers the host until it ends or sends stop."""
    stopped = '{"op": "stopped"'
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # With its own process group, this process and all that functions start can be ended together. A session of its own
    # would be scheduled separately by some systems.
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
        flush()
        if answer.startswith(stopped):
            frames.send(answer)
            return
        text = frames.exchange(answer)


if __name__ == "__main__":
    main()
