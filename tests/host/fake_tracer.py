"""A tracer that behaves as it is told: how it starts by its arguments, how it traces by the text.

Stands in for the real one wherever a test needs it to hang, to die or to talk nonsense.
"""

import argparse
import json
import os
import signal
import sys
import time

MAGIC = b"shapewise-tracer 1\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--banner", default="", help="printed before anything else")
    parser.add_argument("--start", default="well", help="well, mute, die, killed, failed, nonsense or newer")
    parser.add_argument("--count", help="a file in which every start is noted")
    options = parser.parse_args()
    if options.count:
        with open(options.count, "a") as file:
            file.write(f"{os.getpid()}\n")
    write(options.banner.encode())
    start(options.start)
    while (request := read()) is not None and "exit" not in request:
        trace(request)


def start(how: str) -> None:
    if how == "mute":
        time.sleep(60)
    if how == "die":
        print("ImportError: libsomething.so is not there", file=sys.stderr)
        sys.exit(1)
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    write(MAGIC)
    if how == "nonsense":
        write(b"this is not a message\n")
        time.sleep(60)
    if how == "failed":
        send({"failed": f"This Python has no torch: {sys.executable}."})
        sys.exit(3)
    send({"hello": {"protocol": 2 if how == "newer" else 1, "python": "3.11.0", "torch": "2.13.0"}})


def trace(request: dict) -> None:
    text, number = request["trace"]["text"], request["id"]
    print("tracing", file=sys.stderr, flush=True)
    if "HANG" in text:
        time.sleep(60)
    if "SLOW" in text:
        time.sleep(0.3)
    if "DIE" in text:
        os._exit(9)
    if "GARBAGE" in text:
        write(b"\x00\xffgarbage\n" * 10)
        time.sleep(60)
    if "DEEP" in text:
        write(b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000)
        return
    if "HALF" in text:
        write(b"Content-Length: 1000\r\n\r\n{")
        os._exit(0)
    if "OTHER" in text:
        number += 1
    if "ERROR" in text:
        send({"id": number, "error": "one sentence"})
    elif "UNREADABLE" in text:
        send({"id": number, "log": [99, 1, 2]})
    else:
        # wire form of events.Log: its number, then its fields
        if text.startswith("NEED "):
            text = json.dumps([asked(number, name) for name in text.split()[1:]])
        notes = [0, text, json.dumps(request["trace"]["broken"]), *["x" * 1000] * text.count("BIG")]
        if "SHORT" in text:
            notes.append(f"times {request['trace']['times']:g}")
            if request["trace"]["times"] == 1:
                notes.append("this file takes longer to follow than a trace may take at once")  # events.SHORT
        log = [12, request["trace"]["file"], "3.11.0", "2.13.0", 0.01, [0], [0], notes]
        send({"id": number, "log": log})


def asked(number: int, name: str) -> "dict | None":
    """The module that the host knows by a name; asked a second time with the digest of the first."""
    send({"id": number, "need": {"name": name, "digest": None}})
    module = read()["module"]
    if module and "digest" in module:
        send({"id": number, "need": {"name": name, "digest": module["digest"]}})
        assert "text" not in read()["module"]
    return module


def read() -> "dict | None":
    size = 0
    while (line := sys.stdin.buffer.readline()) != b"\r\n":
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    return json.loads(sys.stdin.buffer.read(size))


def send(message: dict) -> None:
    body = json.dumps(message).encode()
    write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


main()
