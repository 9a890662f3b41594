// Asks the installed npm package a question.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const { DatabaseSync } = require('node:sqlite');
const text2sql = require('text2sql-sqlite');

const db = new DatabaseSync(':memory:', { allowExtension: true });
db.exec('CREATE TABLE orders(id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1), (2), (3);');
text2sql.load(db);
const tools = execFileSync('node_modules/.bin/text2sql-mcp', ['--list-tools']);
assert.equal(JSON.parse(tools)[0].name, 'ask');
const { ask } = db.prepare('SELECT ask FROM ask(?)').get('How many orders are there?');
assert.equal(ask, '{"count":3}');
assert.throws(() => db.prepare("SELECT load_extension('x')").get(), /not authorized/);
console.log(`Node ${process.version}: ${ask}`);
