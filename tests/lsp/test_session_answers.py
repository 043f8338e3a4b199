"""What becomes of the answer of an analysis: moved, kept, lost, of another file. In process, with a tracer made up."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace

import pytest
from desk import CODEC, HEAD, Elsewhere, until

from shapewise.host.errors import CannotStart, SetAside, TooSlow, TracerDied
from shapewise.lsp.documents import Document
from shapewise.lsp.texts import Text


async def test_what_comes_late_is_moved_to_where_its_names_are_now(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.seconds = 0.1
    await asyncio.sleep(0.06)
    one.type(0, 0, "# a line above\n")
    one.type(3, 0, "long_", 0)
    assert one.hints() == {}
    await asyncio.sleep(0.1)
    assert one.hints() == {"3:x": 3}  # the first answer: y has been touched since
    assert not one.document.is_current
    await one.settled()
    assert one.hints() == {"3:x": 3, "4:long_y": 4}


async def test_hints_stay_and_move_while_a_trace_is_under_way(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.tracer.seconds = 0.2
    one.type(1, 0, "\n\n")
    assert one.hints() == {"4:x": 3, "5:y": 4}


@pytest.mark.parametrize("error", [TooSlow("too slow"), CannotStart("no torch"), SetAside("set aside")])
async def test_without_a_trace_the_hints_before_the_edits_stay(desk, error):
    one = desk("x = 3\ny = 4\nz = 5\n")
    await one.settled()

    def fail(text: str) -> None:
        raise error

    one.tracer.before = fail
    one.type(2, 5, "4")
    assert one.hints() == {"2:x": 3, "3:y": 4, "4:z": 5}
    await one.settled()
    assert one.hints() == {"2:x": 3}
    assert one.listener.problems == [None, str(error)]
    one.tracer.before = lambda text: None
    one.type(1, 5, "3")
    await one.settled()
    assert one.hints() == {"2:x": 33, "3:y": 44, "4:z": 5}
    assert one.listener.problems[-1] is None


async def test_what_had_no_tracer_is_analysed_once_there_is_one(desk):
    one = desk("x = 3\n")

    def refuse(text: str) -> None:
        raise CannotStart("no torch")

    one.tracer.before = refuse
    text = Text("file:///project/b.py", f"{HEAD}y = 4\n", position_codec=CODEC)
    other = Document(text.uri, text.path, lambda: (text,))
    one.session.open(other)
    await one.settled()
    assert await other.settled(5)
    assert one.listener.problems == ["no torch", "no torch"]
    one.tracer.before = lambda text: None
    one.type(1, 5, "3")
    await one.settled()
    await asyncio.sleep(0.2)
    assert text.facts
    assert one.listener.problems[2:] == [None, None]


async def test_a_listener_that_fails_does_not_end_the_session(desk):
    one = desk("x = 3\n")

    def fail(document, hints_changed):
        one.listener.shown = lambda document, hints_changed: None
        raise BrokenPipeError

    one.listener.shown = fail
    await one.settled()
    one.type(1, 5, "3")
    await one.settled()
    assert one.hints() == {"2:x": 33}


async def test_a_tracer_that_dies_is_tried_again(desk):
    one = desk("x = 3\n")
    deaths = [TracerDied("died"), TracerDied("died")]

    def die(text: str) -> None:
        if deaths:
            raise deaths.pop()

    one.tracer.before = die
    await one.settled()
    assert one.hints() == {"2:x": 3}
    assert one.listener.problems == [None]


async def test_a_fault_of_ours_is_a_sentence(desk):
    one = desk("x = 3\n")

    def fail(text: str) -> None:
        raise ZeroDivisionError("oops")

    one.tracer.before = fail
    await one.settled()
    assert one.listener.problems == ["shapewise failed on a.py (ZeroDivisionError: oops)."]


async def test_while_a_statement_is_broken_the_hints_before_it_stay(desk):
    # As a function's are, which only its call makes known.
    one = desk("x = 3\ncall(1)\ny = 4\n")
    one.tracer.knows = lambda text: "call" in text
    await one.settled()
    assert one.hints() == {"2:x": 3, "4:y": 4}
    one.type(2, 6, "", over=1)
    await one.settled()
    assert one.hints() == {"2:x": 3}
    one.type(2, 6, ", 2")
    await one.settled()
    assert one.hints() == {"2:x": 3}
    one.type(2, 9, ")")
    await one.settled()
    assert one.hints() == {"2:x": 3, "4:y": 4}


async def test_an_edit_elsewhere_ends_what_is_known_from_before_the_break(desk):
    one = desk("w = 2\nx = 3\ncall(1)\n")
    one.tracer.knows = lambda text: "call" in text
    await one.settled()
    one.type(3, 6, "", over=1)
    await one.settled()
    assert one.hints() == {"2:w": 2, "3:x": 3}
    one.type(1, 5, "2")
    await one.settled()
    assert one.hints() == {}


async def test_the_file_that_was_edited_last_comes_first(desk):
    one = desk("x = 3\n")
    await one.settled()
    one.tracer.seconds = 0.1
    texts = [Text(f"file:///project/{n}.py", f"{HEAD}n = {n}\n", position_codec=CODEC) for n in range(5)]
    documents = [Document(text.uri, text.path, lambda text=text: (text,)) for text in texts]
    for document in documents:
        one.session.open(document)
    await asyncio.sleep(0.08)
    one.session.touch(documents[1])
    await documents[1].settled(5)
    traced = [text.split()[-1] for text in one.tracer.texts[1:]]
    assert traced[1] == "1"
    assert len(traced) < 5


async def test_a_closed_file_is_forgotten(desk):
    one = desk("x = 3\n")
    one.tracer.seconds = 0.05
    await asyncio.sleep(0.05)
    one.session.close(one.document)
    await asyncio.sleep(0.1)
    assert one.listener.changes == []


async def test_the_loop_stays_free_while_a_big_file_is_analysed(desk):
    gc.collect()
    gc.freeze()  # what thousands of other tests have left in this process is not the server's
    one = desk("".join(f"x{number} = {number}\n" for number in range(2000)))
    slowest, last = 0.0, asyncio.get_running_loop().time()
    while not one.document.is_current:
        await asyncio.sleep(0.001)
        now = asyncio.get_running_loop().time()
        slowest, last = max(slowest, now - last), now
    gc.unfreeze()
    assert len(one.hints()) == 2000
    assert slowest < 0.2


async def test_its_own_hints_come_first_and_then_those_from_elsewhere(desk):
    elsewhere = Elsewhere()
    elsewhere.seconds = 0.3
    one = desk("x = 3\n", elsewhere)
    await one.settled()
    assert one.hints() == {"2:x": 3}
    await asyncio.wait_for(one.session.done(one.document, 60), 5)
    assert one.hints() == {"2:x": 3, "2:y": 1}
    assert elsewhere.began == 1
    await asyncio.sleep(0.5)
    assert elsewhere.began == 1


async def test_who_types_does_not_wait_for_what_others_show(desk):
    elsewhere = Elsewhere()
    elsewhere.seconds = 4.0
    one = desk("x = 3\n", elsewhere)
    await until(lambda: elsewhere.began == 1)
    one.type(1, 5, "7")
    await asyncio.wait_for(one.settled(), 2)
    assert one.hints() == {"2:x": 37}
    elsewhere.seconds = 0.0
    await until(lambda: one.hints() == {"2:x": 37, "2:y": 1})


async def test_what_others_show_quickly_is_part_of_the_analysis(desk):
    one = desk("x = 3\n", Elsewhere())
    await until(lambda: "2:y" in one.hints())
    one.type(1, 5, "7")
    await one.settled()
    assert one.hints() == {"2:x": 37, "2:y": 1}


async def test_an_edit_of_a_comment_is_no_trace(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.type(2, 0, "# why\n\n")
    await one.settled()
    assert one.hints() == {"2:x": 3, "5:y": 4}
    one.type(5, 0, "z = 5\n")
    await one.settled()
    assert one.hints() == {"2:x": 3, "5:y": 4, "6:z": 5}
    assert len(one.tracer.texts) == 2


async def test_an_edit_of_a_comment_is_a_trace_where_what_is_imported_has_changed(desk):
    one = desk("x = 3\n")
    await one.settled()
    assert one.document.known is not None
    known = one.document.known
    log = replace(known.analysis.log, files=("/project/b.py",))
    one.document.known = replace(known, analysis=replace(known.analysis, log=log))
    one.type(1, 5, "  # why")
    await one.settled()
    assert len(one.tracer.texts) == 2
