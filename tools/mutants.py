"""Switches at protections, in a copy of the tree.

    mutants.py patch LIST FOLDER            puts them in
    mutants.py run LIST FOLDER [NAME…]      runs the tests of each with its switch off

LIST has blocks:  == NAME: what it protects
                  test WORDS              tools/regress or cargo test with these words fails
                  file PATH
                  - old lines, found exactly once
                  + new lines, in which OFF is the switch
"""

import os
import re
import subprocess
import sys

PATIENCE = 150  # seconds; a test that ends no more has noticed

SWITCH = """
/// Whether the protection of this name is taken out.
pub fn off(name: &str) -> bool {
    static OFF: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    OFF.get_or_init(|| std::env::var("TEXT2SQL_OFF").ok()).as_deref() == Some(name)
}
"""


def blocks(path):
    """(name, what it protects, tests, [(file, old, new)]) a block."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("== "):
                name, what = line[3:].split(": ", 1)
                found.append((name, what, [], []))
            elif line.startswith("test "):
                found[-1][2].append(line[5:])
            elif line.startswith("file "):
                changes = found[-1][3]
                changes.append([line[5:], [], []])
            elif line.startswith("-"):
                if changes[-1][2]:  # another place in the same file
                    changes.append([changes[-1][0], [], []])
                changes[-1][1].append(line[2:])
            elif line.startswith("+"):
                changes[-1][2].append(line[2:])
    return found


def patch(path, folder):
    for name, _, _, changes in blocks(path):
        for file, old, new in changes:
            crate = "crate" if file.startswith("crates/engine/") else "text2sql_engine"
            new = [line.replace("OFF", f'{crate}::off("{name}")') for line in new]
            with open(f"{folder}/{file}", encoding="utf-8") as source:
                text = source.read()
            old, new = "\n".join(old), "\n".join(new)
            if text.count(old) != 1:
                sys.exit(f"error: {name}: {text.count(old)} places in {file} are:\n{old}")
            with open(f"{folder}/{file}", "w", encoding="utf-8") as target:
                target.write(text.replace(old, new))
    with open(f"{folder}/crates/engine/src/lib.rs", "a", encoding="utf-8") as lib:
        lib.write(SWITCH)


def fails(test, folder, name, patience=PATIENCE):
    """Whether the test notices; None for one that cannot be run."""
    command = (
        ["cargo", "test", "-q", *test.split()[1:]] if test.startswith("cargo ") else ["tools/regress", *test.split()]
    )
    environment = dict(os.environ, TEXT2SQL_OFF=name)
    log = open(f"{folder}/{name}.log", "w")
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        status = process.wait(patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 15)
        process.wait()
        subprocess.run(["tools/cluster", "test", "stop"], cwd=folder, timeout=120)
        return True
    text = open(f"{folder}/{name}.log").read()
    if not re.search(r"\d+ passed[,;] \d+ failed", text):
        return None
    return status != 0


def run(path, folder, names):
    passed, failed = 0, 0
    chosen = [block for block in blocks(path) if not names or block[0] in names]
    tests = sorted({test for _, _, tests, _ in chosen for test in tests})
    regress = " ".join(t for t in tests if not t.startswith("cargo "))
    for test in [regress] * bool(regress) + [t for t in tests if t.startswith("cargo ")]:
        # the first run also builds
        if fails(test, folder, "nothing", patience=None) is not False:
            sys.exit(f"error: with everything in place {test} fails: see {folder}/nothing.log")
    for name, what, tests, _ in chosen:
        verdicts = {test: fails(test, folder, name) for test in tests}
        if None in verdicts.values():
            sys.exit(f"error: a test of {name} did not run: see {folder}/{name}.log")
        noticed = all(verdicts.values())
        passed, failed = passed + noticed, failed + (not noticed)
        missed = [test for test, verdict in verdicts.items() if not verdict]
        print(f"{'noticed' if noticed else 'MISSED '}  {name}: {what}  {missed or list(verdicts)}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if sys.argv[1] == "patch":
    patch(*sys.argv[2:])
else:
    run(sys.argv[2], sys.argv[3], sys.argv[4:])
