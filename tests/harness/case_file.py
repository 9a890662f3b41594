"""The text of a case (pg_test/cases): its steps, and the outcomes that they may have.

A file has a line per step; indented lines continue it:

    # WORDS             the first is the case's title
    load FILE…          these of pg_test/fixtures, into schema traps, which everybody may read
    setup SQL           as a superuser, before anything is compared
    from MAJOR STEP     a step that older versions of PostgreSQL cannot do
    as ROLE…            who takes the next steps: analyst (an ordinary role), superuser (whose rights
                        are dropped; nobody in 13), insisting (a superuser who keeps them); at first
                        all three
    with STRATEGY…      how the next questions are answered; at first zero_shot and gsr
    session SQL         at the start of each following session
    question TEXT       what is asked from here on
    reply OUTCOME SQL   ask; the model answers every request with this SQL
    model RULE          the model answers by this rule (crates/scripted-model) from here on
    ask OUTCOME         ask
    run OUTCOME SQL     a statement typed by hand
    end HOW OUTCOME     ask, and end the call while it waits: cancel, timeout, terminate or kill
    unsent TEXT         no request to the model since the last such line held it
    sent TEXT           one did
    unseen TEXT         no answer, error or notice of the case holds it; say it before the steps

{N*TEXT} is the text N times. OUTCOME is SQLSTATEs (42T06|42501), answered, lost, or = and the rows
as JSON up to the end of the line.
"""

import re

Step = tuple[str, str]  # a verb and what follows it


def parse(text: str, major: int) -> tuple[str, list[Step]]:
    """The title, and the steps that this version of PostgreSQL can do."""
    text = re.sub(r"\{(\d+)\*([^}]*)\}", lambda m: m[2] * int(m[1]), text.strip("\n"))
    (_, title), *steps = [split(step) for step in re.split(r"\n(?! )", text)]
    chosen = []
    for verb, rest in steps:
        if verb == "from":
            least, _, step = rest.partition(" ")
            if major >= int(least):
                chosen.append(split(step))
        elif verb != "#":
            chosen.append((verb, rest))
    return title, chosen


def split(step: str) -> Step:
    verb, _, rest = step.partition(" ")
    return verb, re.sub(r"\n +", "\n", rest.strip())


def outcomes(text: str) -> tuple[list[str], str]:
    """The outcomes that a step may have, and what follows them."""
    if text.startswith("= "):
        rows, _, rest = text.partition("\n")
        return [rows], rest
    first, _, rest = text.partition(" ")
    return first.split("|"), rest.strip()


def is_expected(outcome: str, expected: list[str]) -> bool:
    """`outcome` is a SQLSTATE, lost, or = and the rows."""
    return outcome in expected or ("answered" in expected and outcome.startswith("= "))
