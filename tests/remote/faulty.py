"""A prefix that is not well: `python faulty.py FAULT COMMAND...`, FAULT being a file of JSON.

It runs the command as `srun` or `kubectl exec` would, and does to its streams what the fault says:

    banner     printed before anything else             crlf      every line end becomes two characters
    delay      seconds before each piece                piece     how many bytes are passed on at a time
    cut        bytes of output after which it ends      hang      after which nothing comes any more
    drop       [from, how many] bytes are lost          flip      the number of a byte that is changed
    noise      printed when the command is silent       within    [at, text]: printed in the middle
    exit       ends at once with this code, `says` being its last words
    deaf       bytes of input after which nothing is passed on
    kill       seconds after which the command is killed
    pid        a file that the command's process id is written to
"""

import json
import os
import select
import signal
import subprocess
import sys
import time


def main() -> int:
    with open(sys.argv[1]) as file:
        fault = json.load(file)
    if "banner" in fault:
        os.write(1, fault["banner"].encode())
    if "exit" in fault:
        os.write(2, fault.get("says", "").encode())
        return int(fault["exit"])
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if "pid" in fault:
        with open(fault["pid"], "w") as out:
            out.write(str(child.pid))
    began, passed, heard = time.monotonic(), 0, 0
    given, taken = child.stdin.fileno(), child.stdout.fileno()
    inputs = [0, taken]
    piece = fault.get("piece", 1 << 16)
    quiet = True
    while True:
        ready, _, _ = select.select(inputs, [], [], 0.05)
        if "kill" in fault and time.monotonic() > began + fault["kill"]:
            child.send_signal(signal.SIGKILL)
        if not ready and not quiet and "noise" in fault:
            os.write(1, fault["noise"].encode())
            quiet = True
        if 0 in ready:
            data = os.read(0, 1 << 16)
            if not data:
                inputs.remove(0)
                child.stdin.close()
            elif "deaf" not in fault or heard < fault["deaf"]:
                heard += len(data)
                os.write(given, data.replace(b"\n", b"\r\n") if fault.get("crlf") == "both" else data)
        if taken in ready:
            data = os.read(taken, piece)
            if not data:
                return child.wait() & 0x7F
            time.sleep(fault.get("delay", 0))
            quiet = False
            data = bytearray(data)
            start, end = passed, passed + len(data)
            passed = end
            if "flip" in fault and start <= fault["flip"] < end:
                data[fault["flip"] - start] ^= 1
            if "drop" in fault:
                first, many = fault["drop"]
                del data[max(0, first - start) : max(0, min(first + many, end) - start)]
            if "within" in fault and start <= fault["within"][0] < end:
                at = fault["within"][0] - start
                data[at:at] = fault["within"][1].encode()
            if "hang" in fault and end > fault["hang"]:
                os.write(1, bytes(data[: max(0, fault["hang"] - start)]))
                while os.read(0, 1 << 16):
                    pass
                return 0
            if "cut" in fault and end > fault["cut"]:
                os.write(1, bytes(data[: max(0, fault["cut"] - start)]))
                child.kill()
                return fault.get("code", 255)
            text = bytes(data)
            os.write(1, text.replace(b"\n", b"\r\n") if fault.get("crlf") else text)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(1)
