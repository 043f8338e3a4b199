"""The tracer's process: whatever it does, the host has an answer or one clear sentence."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from shapewise.host.errors import CannotStart, SetAside, TooSlow, TracerDied, TracerError
from shapewise.host.lifecycle import State
from shapewise.host.process import TracerProcess
from shapewise.repair import Broken, Repaired
from shapewise.vocabulary.span import Span

FAKE = Path(__file__).with_name("fake_tracer.py")


def fake(*arguments: str, **options: object) -> TracerProcess:
    return TracerProcess(command=[sys.executable, str(FAKE), *arguments], **options)


async def trace(tracer: TracerProcess, text: str, path: str = "a.py") -> str:
    """What the fake tracer was told."""
    return (await tracer.trace(path, Repaired(text))).notes[0]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_text_goes_there_and_a_log_comes_back():
    async with fake() as tracer:
        log = await tracer.trace("a.py", Repaired("x = 1", (Broken(Span(3, 0, 3, 4), ("y",), ""),)))
        assert log.file == "a.py"
        assert log.notes == ("x = 1", '[[3, ["y"]]]')
        assert tracer.hello is not None and tracer.hello.torch == "2.13.0"


async def test_one_process_answers_many_requests_in_order(tmp_path):
    async with fake("--count", str(tmp_path / "starts")) as tracer:
        texts = [f"x = {number}" for number in range(20)]
        assert await asyncio.gather(*(trace(tracer, text) for text in texts)) == texts
    assert len((tmp_path / "starts").read_text().split()) == 1


async def test_the_tracer_may_ask_for_modules_in_the_middle_of_a_trace(tmp_path):
    (tmp_path / "net.py").write_text("x = 1\ny = (\n")
    (tmp_path / "data.py").write_bytes(b"\0")
    async with fake() as tracer:
        answer = await trace(tracer, "NEED net data absent", str(tmp_path / "main.py"))
        net, data, absent = json.loads(answer)
        assert net["file"] == str(tmp_path / "net.py") and net["own"] and not net["package"]
        assert net["text"].startswith("x = 1\n") and net["broken"] == [[2, ["y"]]]
        assert "cannot be read" in data["why"] and absent is None
        assert await trace(tracer, "x = 1") == "x = 1"


async def test_a_big_log_arrives():
    async with fake() as tracer:
        log = await tracer.trace("a.py", Repaired("BIG " * 1000))
        assert len(log.notes) == 1002


@pytest.mark.parametrize(
    "banner",
    ["Welcome to the cluster\n", "no newline at its end ", "x" * 3_000_000 + "\n", "\xff\x00\n" * 50],
    ids=["line", "unended", "long", "binary"],
)
async def test_what_is_printed_before_the_magic_line_is_passed_over(banner, tmp_path):
    # An argument cannot be that long: a script prints it.
    script = tmp_path / "shell.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        sys.argv[1:] = ["--banner", {banner.replace(chr(0), "?")!r}]
        exec(compile(open({str(FAKE)!r}).read(), "fake", "exec"))
        """)
    )
    async with TracerProcess(command=[sys.executable, str(script)]) as tracer:
        assert await trace(tracer, "x") == "x"


async def test_a_trace_that_hangs_is_ended_and_the_next_one_works():
    async with fake(limit=0.3) as tracer:
        await tracer.start()
        pid = tracer.pid
        with pytest.raises(TooSlow, match=r"The trace of a\.py took more than 0\.3 seconds and was ended\."):
            await trace(tracer, "HANG")
        assert tracer.state is State.STOPPED
        assert not is_alive(pid)
        assert await trace(tracer, "x = 1") == "x = 1"


@pytest.mark.parametrize("how", ["DIE", "GARBAGE", "HALF", "OTHER", "DEEP"])
async def test_a_trace_that_breaks_the_tracer_is_an_error_and_the_next_one_works(how):
    async with fake(limit=5) as tracer:
        with pytest.raises(TracerDied, match="it is started again"):
            await trace(tracer, how)
        assert await trace(tracer, "x = 1") == "x = 1"


async def test_the_sentence_about_a_death_says_how():
    async with fake() as tracer:
        with pytest.raises(TracerDied, match=r"while it traced a\.py \(exit code 9\)"):
            await trace(tracer, "DIE")


async def test_an_error_of_the_trace_keeps_the_process(tmp_path):
    async with fake("--count", str(tmp_path / "starts")) as tracer:
        for text in ("ERROR", "UNREADABLE"):
            with pytest.raises(TracerError):
                await trace(tracer, text)
        assert await trace(tracer, "x") == "x"
    assert len((tmp_path / "starts").read_text().split()) == 1


async def test_a_process_killed_between_two_requests_is_replaced():
    async with fake() as tracer:
        await trace(tracer, "x")
        pid = tracer.pid
        os.kill(pid, 9)
        await asyncio.sleep(0.2)
        assert await trace(tracer, "y") == "y"
        assert tracer.pid != pid


async def test_a_file_that_kills_the_tracer_three_times_is_set_aside_until_it_changes(tmp_path):
    count = tmp_path / "starts"
    async with fake("--count", str(count)) as tracer:
        for _ in range(3):
            with pytest.raises(TracerDied):
                await trace(tracer, "DIE")
        with pytest.raises(SetAside, match=r"a\.py ended the tracer 3 times in a row"):
            await trace(tracer, "DIE")
        assert len(count.read_text().split()) == 3
        assert await trace(tracer, "fine", "b.py") == "fine"
        with pytest.raises(TracerDied):
            await trace(tracer, "DIE again")
        assert await trace(tracer, "fine") == "fine"


async def test_who_stops_waiting_does_not_disturb_the_next():
    async with fake() as tracer:
        await tracer.start()
        pid = tracer.pid
        for _ in range(5):
            waiting = asyncio.create_task(trace(tracer, "SLOW"))
            await asyncio.sleep(0.02)
            waiting.cancel()
        assert await trace(tracer, "x") == "x"
        assert tracer.pid == pid


async def test_no_torch_is_one_sentence_that_names_the_python():
    async with fake("--start", "failed") as tracer:
        with pytest.raises(CannotStart) as caught:
            await trace(tracer, "x")
        assert str(caught.value) == (
            f"This Python has no torch: {sys.executable}. Install it there (pip install torch),"
            " or name another Python (shapewise.interpreter, --interpreter)."
        )
        assert tracer.state is State.FAILED


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("die", r"could not start under .* \(exit code 1\): ImportError: libsomething\.so is not there"),
        ("nonsense", "does not speak as this shapewise does"),
        ("newer", r"does not speak as this shapewise does \(another protocol\)"),
        ("mute", r"torch was not ready under .* after 0\.3 seconds"),
    ],
)
async def test_a_tracer_that_does_not_start_is_one_sentence(how, sentence):
    async with fake("--start", how, start_limit=0.3 if how == "mute" else 10) as tracer:
        with pytest.raises(CannotStart, match=sentence):
            await tracer.start()


async def test_a_failed_start_is_not_repeated_at_every_request(tmp_path):
    async with fake("--start", "failed", "--count", str(tmp_path / "starts")) as tracer:
        for _ in range(5):
            with pytest.raises(CannotStart):
                await trace(tracer, "x")
    assert len((tmp_path / "starts").read_text().split()) == 1


async def test_a_start_that_is_ended_from_outside_is_tried_again(tmp_path):
    async with fake("--start", "killed", "--count", str(tmp_path / "starts")) as tracer:
        with pytest.raises(CannotStart, match="SIGKILL"):
            await tracer.start()
    assert len((tmp_path / "starts").read_text().split()) == 3


async def test_a_program_that_is_not_there():
    tracer = TracerProcess(command=["/no/such/program"])
    with pytest.raises(CannotStart, match="cannot be run: No such file"):
        await tracer.start()


async def test_the_last_lines_of_stderr_are_kept():
    async with fake() as tracer:
        for _ in range(60):
            await trace(tracer, "x")
        await asyncio.sleep(0.05)
        assert list(tracer.stderr) == ["tracing"] * 50


async def test_states_are_told():
    seen = []
    tracer = fake(on_change=lambda: seen.append(tracer.state))
    await tracer.start()
    await tracer.close()
    assert seen == [State.STARTING, State.READY, State.STOPPED]


async def test_closing_ends_the_process_even_in_the_middle_of_a_trace():
    tracer = fake()
    await tracer.start()
    pid = tracer.pid
    hanging = asyncio.create_task(trace(tracer, "HANG"))
    await asyncio.sleep(0.05)
    await tracer.close()
    assert not is_alive(pid)
    with pytest.raises(TracerError):
        await hanging


@pytest.mark.skipif(sys.platform == "win32", reason="counts processes by signals")
async def test_the_tracer_ends_when_its_parent_is_killed(tmp_path):
    count = tmp_path / "starts"
    parent = textwrap.dedent(f"""
        import asyncio, sys
        from shapewise.host.process import TracerProcess

        async def main():
            tracer = TracerProcess(command=[sys.executable, {str(FAKE)!r}, "--count", {str(count)!r}])
            await tracer.start()
            print("started", flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
        """)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", parent, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    process.kill()
    await process.wait()
    pid = int(count.read_text())
    for _ in range(50):
        if not is_alive(pid):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the tracer outlived its parent")


async def test_no_variable_that_steers_a_python_reaches_the_tracer(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", "x.py")
    shown = tmp_path / "shown"
    script = tmp_path / "script.py"
    script.write_text(f"import os; open({str(shown)!r}, 'w').write(repr(dict(os.environ)) + os.getcwd())")
    with pytest.raises(CannotStart):
        await TracerProcess(command=[sys.executable, str(script)]).start()
    text = shown.read_text()
    assert "PYTHONPATH" not in text and "PYTHONSTARTUP" not in text
    assert "'OMP_NUM_THREADS': '1'" in text
    assert not text.endswith(os.getcwd())


async def test_a_log_of_which_only_the_difference_was_sent_is_that_of_a_fresh_tracer():
    head = "import torch\nx = torch.zeros(2, 3)\n"
    texts = [head + middle + "z = x.T @ x\n" for middle in ("y = x + 1\n", "y = x + 1\ny = y.mean(0)\n", "")]
    async with TracerProcess() as tracer:
        found = [await tracer.trace("/a.py", Repaired(text)) for text in texts]
        await tracer.close()
        found.append(await tracer.trace("/a.py", Repaired(texts[1])))  # a new process knows of no other log
    fresh = {}
    for text in texts:
        async with TracerProcess() as tracer:
            fresh[text] = replace(await tracer.trace("/a.py", Repaired(text)), seconds=0.0)
    assert [replace(log, seconds=0.0) for log in found] == [fresh[text] for text in (*texts, texts[1])]
