"""Which text is analysed when. In process, with a tracer made up."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest
from desk import CODEC, HEAD, Elsewhere, until

from shapewise.host.errors import TracerError
from shapewise.lsp import asking, pauses, under_way
from shapewise.lsp.aside import aside
from shapewise.lsp.documents import Document
from shapewise.lsp.texts import Text
from shapewise.repair import Repaired
from shapewise.vocabulary.events import STOPPED, UNFINISHED


async def test_a_file_is_analysed_when_it_is_opened(desk):
    one = desk("x = 3\n")
    await one.settled()
    assert one.hints() == {"2:x": 3}
    assert one.listener.changes == [True]


@pytest.mark.parametrize("why", [UNFINISHED, STOPPED])
async def test_what_had_too_little_time_is_traced_on_while_nobody_edits(desk, why):
    one = desk("x = 3\ny = 4\nz = 5\n")
    whole = one.tracer._log

    # A line more each time, and there is always one more to come; the last lines never do.
    def more(path, lines):
        log = whole(path, lines[: 1 + len(one.tracer.texts)])
        return replace(log, notes=(why,))

    one.tracer._log = more
    await until(lambda: len(one.hints()) == 3)
    assert one.hints() == {"2:x": 3, "3:y": 4, "4:z": 5}
    await asyncio.sleep(0.3)
    assert len(one.tracer.texts) == 5, "once and twice the patience tell nothing new, that is all"


async def test_what_needs_more_time_than_an_edit_has_gets_it_while_nobody_edits(desk):
    one = desk("x = 3\n")
    whole, patience = one.tracer._log, []

    def cut(path, lines):
        patience.append(one.session.patience(path))
        return replace(whole(path, lines), notes=(UNFINISHED,))

    one.tracer._log = cut
    await until(lambda: len(patience) == 3)
    assert patience == [1.5, 4, 8]
    await asyncio.sleep(0.1)
    one.type(1, 5, "1")
    await until(lambda: len(patience) == 6)
    assert patience[3:] == [1.5, 4, 8]


async def test_what_nobody_waits_for_is_stopped_by_an_edit_at_any_time(desk):
    one = desk("x = 3\n")
    whole = one.tracer._log
    one.tracer._log = lambda path, lines: replace(whole(path, lines), notes=(UNFINISHED,))
    await one.settled()
    one.tracer.seconds = 5.0
    await until(lambda: len(one.tracer.texts) > 1)
    one.tracer._log, one.tracer.seconds = whole, 0.0
    one.type(1, 5, "1")
    await until(lambda: one.hints() == {"2:x": 31})
    assert one.tracer.stopped


async def test_what_changes_before_the_tracer_has_been_asked_is_not_asked(desk):
    one = desk("x = 3\n")
    analysis = aside(
        lambda tracer: tracer.trace("/a.py", Repaired("x = 3\n")), one.tracer, is_stopped=lambda: True
    )
    with pytest.raises(TracerError):
        await analysis
    assert "x = 3\n" not in one.tracer.texts


async def test_an_edit_of_a_comment_is_answered_at_once_while_more_is_looked_for(desk):
    one = desk("# one\nx = 3\n")
    whole = one.tracer._log
    one.tracer._log = lambda path, lines: replace(whole(path, lines), notes=(UNFINISHED,))
    await one.settled()
    one.tracer.seconds = 5.0
    await until(lambda: one.session._under_way is not None and one.session._under_way.is_idle)
    one.type(1, 2, "o")
    assert await one.document.shown(0.05)
    assert one.hints() == {"3:x": 3}


@pytest.mark.parametrize("how", ["edited", "opened"])
async def test_another_file_does_not_wait_for_what_nobody_waits_for(desk, how):
    one = desk("x = 3\n")
    text = Text("file:///project/b.py", HEAD + "y = 4\n", position_codec=CODEC)
    other = Document(text.uri, "/project/b.py", lambda: (text,))
    if how == "edited":
        one.session.open(other)
        assert await other.settled(5)
    whole = one.tracer._log
    one.tracer._log = lambda path, lines: replace(whole(path, lines), notes=(UNFINISHED,) * ("/a.py" in path))
    one.type(1, 5, "1")
    await until(lambda: len(one.tracer.texts) > 2 and one.document.is_current)
    one.tracer.seconds = 5.0
    await until(lambda: one.session._under_way is not None and one.session._under_way.is_idle)
    await asyncio.sleep(0.05)
    one.tracer.seconds = 0.0
    (one.session.touch if how == "edited" else one.session.open)(other)
    assert await other.settled(2)
    one.tracer._log = whole
    await until(lambda: not one.document.is_unfinished and one.session._under_way is None)
    assert one.hints() == {"2:x": 31}


async def test_hints_do_not_wait_for_the_rules(desk, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(asking, "judged", lambda analysis, is_stale: asked.wait(5) and analysis)
    one = desk("x = 3\n")
    assert await one.document.shown(5)
    assert one.hints() == {"2:x": 3}
    assert not await one.document.settled(0.05)
    asked.set()
    await one.settled()


async def test_rules_that_are_asked_of_an_older_text_are_left(desk, monkeypatch):
    heard: list[bool] = []

    def judged(analysis, is_stale):
        while not is_stale() and "4" not in analysis.source.text:
            time.sleep(0.005)
        heard.append(is_stale())
        return analysis

    monkeypatch.setattr(asking, "judged", judged)
    monkeypatch.setattr(pauses, "BEFORE_RULES", 0.0)
    one = desk("x = 3\n")
    assert await one.document.shown(5)
    await asyncio.sleep(0.1)
    one.type(1, 5, "4")
    await one.settled()
    assert heard == [True, False]


async def test_rules_that_took_long_wait_as_long_the_next_time(desk, monkeypatch):
    monkeypatch.setattr(asking, "judged", lambda analysis, is_stale: time.sleep(0.2) or analysis)
    one = desk("x = 3\n")
    await one.settled()
    assert pauses.before_rules(one.document) >= 0.2
    one.document.seconds_of_rules = 60.0
    assert pauses.before_rules(one.document) == pauses._LONGEST_BEFORE_RULES


async def test_what_is_known_of_a_file_just_opened_is_shown_before_its_trace_is_over(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.begun = lambda path: one.session.early(path)
    one.tracer.seconds = 0.1
    assert await one.document.has_hints(0.09)
    assert one.hints() == {"2:x": 3}
    assert not await one.document.shown(0.001)
    assert not one.document.is_current and one.listener.changes == [True]
    await one.settled()
    assert one.hints() == {"2:x": 3, "3:y": 4}
    one.type(2, 5, "4")
    assert not await one.document.shown(0.05)
    await one.settled()
    assert one.hints() == {"2:x": 3, "3:y": 44}


async def test_what_is_known_so_far_of_an_edit_is_shown_among_what_is_held(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.tracer.begun = lambda path: one.session.early(path)
    one.tracer.seconds = 0.2
    one.type(1, 5, "3")
    assert await one.document.has_hints(0.15)
    assert one.hints() == {"2:x": 33, "3:y": 4}
    assert not one.document.is_current
    await one.settled()
    assert one.hints() == {"2:x": 33, "3:y": 4}


@pytest.mark.parametrize("how", ["another is opened", "it is closed"])
async def test_the_rest_of_a_trace_that_was_told_of_does_not_keep_another_file_waiting(desk, how):
    one = desk("x = 3\n")
    await one.settled()
    one.tracer.begun = lambda path: one.session.early(path)
    one.tracer.seconds = 5.0
    one.type(1, 5, "1")
    assert await one.document.has_hints(1)
    await asyncio.sleep(0.05)
    one.tracer.begun, one.tracer.seconds = (lambda path: None), 0.0
    text = Text("file:///project/b.py", HEAD + "y = 4\n", position_codec=CODEC)
    other = Document(text.uri, "/project/b.py", lambda: (text,))
    if how == "it is closed":
        one.session.close(one.document)
    one.session.open(other)
    assert await other.settled(1)
    if how == "another is opened":
        await one.settled()
        assert one.hints() == {"2:x": 31}


async def test_what_is_known_so_far_of_a_text_that_is_no_longer_there_is_not_shown(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.seconds = 0.1
    one.tracer.begun = lambda path: one.type(1, 5, "3") or one.session.early(path)
    assert not await one.document.has_hints(0.05)
    assert one.hints() == {}


async def test_an_edit_of_a_comment_is_answered_at_once(desk):
    one = desk("x = 3\n# comment\ny = 4\n")
    await one.settled()
    one.tracer.before = lambda text: pytest.fail("there is nothing to trace")
    one.type(2, 9, "\n# on two lines\n")
    assert await one.document.shown(0.005)
    assert one.hints() == {"2:x": 3, "6:y": 4}
    assert not await one.document.settled(0.005)
    await one.settled()
    assert one.hints() == {"2:x": 3, "6:y": 4}
    one.type(1, 4, "3")
    assert not await one.document.shown(0.005)


async def test_a_name_that_was_edited_and_is_back_is_waited_for(desk):
    one = desk("x = 3\ny = 4\n")
    await one.settled()
    one.tracer.seconds = 0.1
    one.type(1, 1, "x")
    one.type(1, 1, "", over=1)
    assert one.hints() == {"3:y": 4}
    assert not await one.document.shown(0.005)
    assert await one.document.shown(5)
    assert one.hints() == {"2:x": 3, "3:y": 4}


async def test_edits_without_a_pause_are_one_trace(desk):
    one = desk("x = 3\n")
    await one.settled()
    for digit in "4567":
        one.type(1, 5, digit)
    await one.settled()
    assert one.hints() == {"2:x": 37654}
    assert len(one.tracer.texts) == 2


async def test_edits_that_never_pause_are_traced_all_the_same(desk):
    one = desk("x = 3\n")
    await one.settled()
    for _ in range(20):
        one.type(1, 5, "1")
        await asyncio.sleep(0.015)
    assert len(one.tracer.texts) > 1


async def test_a_trace_of_a_text_that_is_gone_ends(desk):
    one = desk("x = 3\n")
    one.tracer.seconds = 0.5
    await one.settled()
    one.type(1, 5, "1")
    await asyncio.sleep(0.15)
    one.type(1, 5, "2")
    await one.settled()
    assert one.hints() == {"2:x": 321}
    assert one.tracer.stopped == ["/project/a.py"]


async def test_a_trace_goes_on_while_only_comments_and_lines_are_added(desk):
    one = desk("x = 3\n# comment\ny = 4\n")
    await one.settled()
    one.tracer.seconds = 0.4
    one.type(1, 5, "1")
    await asyncio.sleep(0.1)
    one.type(2, 9, "\n# on two lines\n")
    await asyncio.sleep(0.1)
    one.type(4, 0, "\n")
    assert await one.document.shown(0.4)
    assert one.hints() == {"2:x": 31, "7:y": 4}
    await one.settled()
    assert one.tracer.stopped == []
    assert len(one.tracer.texts) == 2
    assert one.hints() == {"2:x": 31, "7:y": 4}


async def test_what_is_known_so_far_is_shown_where_its_names_have_moved_to(desk):
    one = desk("x = 3\ny = 4\n")
    one.tracer.seconds = 0.2
    one.tracer.begun = lambda path: one.type(1, 0, "# comment\n\n") or one.session.early(path)
    assert await one.document.has_hints(0.15)
    assert one.hints() == {"4:x": 3}
    one.type(0, 12, "\n# one more")
    assert await one.document.has_hints(0.01)
    assert one.hints() == {"5:x": 3}
    one.tracer.begun = lambda path: None
    await one.settled()
    assert one.hints() == {"5:x": 3, "6:y": 4}
    assert len(one.tracer.texts) == 1


async def test_a_trace_that_is_nearly_done_goes_on(desk):
    one = desk("x = 3\n")
    one.tracer.seconds = 0.3
    await one.settled()
    one.type(1, 5, "1")
    await asyncio.sleep(0.25)
    one.type(1, 5, "2")
    await one.settled()
    assert one.tracer.stopped == []
    assert one.hints() == {"2:x": 321}


async def test_who_never_pauses_is_not_left_without_hints(desk, monkeypatch):
    monkeypatch.setattr(under_way, "_LONGEST_WITHOUT", 0.3)
    one = desk("x = 3\n")
    one.tracer.seconds = 0.2
    await one.settled()
    heard = len(one.listener.changes)
    for _ in range(30):
        one.type(1, 5, "1")
        await asyncio.sleep(0.03)
    assert len(one.listener.changes) > heard
    assert one.tracer.stopped


async def test_while_nobody_looks_little_is_done(desk):
    elsewhere = Elsewhere()
    one = desk("x = 3\n", elsewhere)
    one.session.look(is_away=True)
    await asyncio.sleep(0.5)
    assert one.tracer.texts == [] and elsewhere.began == 0
    one.session.look(is_away=False)
    await one.settled()
    assert one.hints() == {"2:x": 3}
    await asyncio.sleep(0.6)
    assert elsewhere.began == 1


async def test_what_is_written_while_nobody_looks_is_traced_in_the_end(desk, monkeypatch):
    monkeypatch.setattr(pauses, "_AWAY", 0.1)
    one = desk("x = 3\n")
    await one.settled()
    one.session.look(is_away=True)
    one.type(1, 5, "1")
    await one.settled()
    assert one.hints() == {"2:x": 31}


async def test_a_card_is_asked_for_after_the_hints(desk):
    one = desk("x = 3\ny = 'cuda'\n")
    one.tracer.seconds_on_a_card = 5
    assert await one.document.shown(2)
    assert one.hints() == {"2:x": 3}
    assert not await one.document.settled(0.05)
    one.type(1, 5, "1")
    one.tracer.seconds_on_a_card = 0
    await one.settled()
    assert one.hints() == {"2:x": 31}
    assert [len(text) for text in one.tracer.on_cards] == [len(text) for text in one.tracer.texts]
