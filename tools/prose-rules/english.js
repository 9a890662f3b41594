// The rules of textlint for this project's pages: length of sentences, and turns of phrase that read as translated.
// Code, quotations and headings are left out. Prints the beginning of the sentence with each finding.
"use strict";

const MAX_WORDS = 25;

// Each is tried on a sentence whose code is `code` and whose quotations are "quotation".
const TICS = [
  [/\b(told|said)\b/i, 'data does not speak: "shown", "reported", "mentioned"'],
  [/(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more\b|less\b|better\b|worse\b|different\b)/i, '"not a" instead of "no"'],
  [/\b(of|in|by|for) (which|whom)\b[^.]*\b(of|in|by|for) (which|whom)\b|\bof (which|whom)\b/i, 'a sentence of its own instead of "of which"'],
  [/^The same\b/, 'name the thing instead of "The same"'],
  [/^(What|Which)\b(?!.*\?)/, 'begin with the subject instead of a clause with "What" or "Which"'],
];

/** The text of a node: code as one word, without pictures and HTML. */
function flatten(node) {
  if (node.type === "Str") return node.value;
  if (node.type === "Code") return "`code`";
  if (node.type === "Break") return " ";
  const text = (node.children ?? []).map(flatten).join("");
  return node.type === "Link" ? `[${text}]` : text; // a title, which may begin with any word
}

function sentences(text) {
  const plain = text
    .replace(/\s+/g, " ")
    .replace(/“[^”]*”|"[^"]*"/g, (quoted) => `"quotation"${/[.?!]"$/.test(quoted) ? "." : ""}`)
    .replace(/\b(e\.g|i\.e|etc|vs)\./g, "$1");
  return plain.split(/(?<=[.?!…]["')\]]*) (?=["'([`A-Z0-9]|text2sql|pg_|psql)/).map((sentence) => sentence.trim());
}

const words = (sentence) => sentence.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

module.exports = (context) => {
  const { RuleError, report, Syntax } = context;
  const inside = (node, type) => node.parent && (node.parent.type === type || inside(node.parent, type));
  function check(node) {
    if (inside(node, Syntax.BlockQuote)) return;
    for (const sentence of sentences(flatten(node))) {
      const fault = (message) => report(node, new RuleError(`${message}: ${sentence.slice(0, 60)}`));
      const length = words(sentence);
      if (length > MAX_WORDS) fault(`${length} words in a sentence`);
      for (const [pattern, advice] of TICS) {
        if (pattern.test(sentence)) fault(advice);
      }
    }
  }
  return { [Syntax.Paragraph]: check, TableCell: check };
};
