'use strict';

const { join } = require('node:path');

const library = join(__dirname, 'text2sql.so');

function load(database) {
  database.enableLoadExtension(true);
  try {
    database.loadExtension(library);
  } finally {
    database.enableLoadExtension(false);
  }
}

module.exports = { library, load };
