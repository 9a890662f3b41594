#!/usr/bin/python3
"""Write crates/engine/src/strategy/builtin/words/synonyms.txt from WordNet (Debian: wordnet-base).

A line holds English nouns that mean the same: words of one synset whose first, most common sense it
is, where WordNet's corpus has at least one of them in this sense. Most common groups first. Nouns
in -ing are left out: what they name is rather a deed.

usage: tools/synonyms.py > crates/engine/src/strategy/builtin/words/synonyms.txt
"""

import re
from pathlib import Path

WORDNET = Path("/usr/share/wordnet")
HEADER = """\
# English nouns that mean the same, a group a line: see NOTICE for their source and its licence.
# Written by tools/synonyms.py; not edited by hand.
"""


def entries(name: str) -> list[list[str]]:
    """The lines of a file of WordNet, without its licence, as fields."""
    lines = (WORDNET / name).read_text(encoding="ascii").splitlines()
    return [line.split() for line in lines if not line.startswith("  ")]


def first_senses() -> dict[str, str]:
    """The offset of each noun's most common synset."""
    return {fields[0]: fields[4 + int(fields[3]) + 2] for fields in entries("index.noun")}


def counts() -> dict[str, int]:
    """How often each noun was found in its first sense (sense keys of nouns begin with `1:`)."""
    found: dict[str, int] = {}
    for key, sense, count in entries("cntlist.rev"):
        lemma, kind = key.split("%", 1)
        if kind.startswith("1:") and sense == "1":
            found[lemma] = int(count)
    return found


def main() -> None:
    first, count = first_senses(), counts()
    groups = []
    for fields in entries("data.noun"):
        words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        plain = [w for w in words if re.fullmatch("[a-z]{3,}", w) and not w.endswith("ing")]
        own = [w for w in plain if first.get(w) == fields[0]]
        total = sum(count.get(word, 0) for word in own)
        if len(own) > 1 and total > 0:
            groups.append((-total, " ".join(own)))
    print(HEADER + "\n".join(words for _, words in sorted(groups)))


if __name__ == "__main__":
    main()
