/*
 * Runs a TypeScript file on this Node, or prints one sentence if it is too old.
 *
 * npm puts the Node of `node_modules` first on the PATH of every script, but `npm ci --ignore-scripts` never unpacks it,
 * and the scripts then run on the machine's own Node. The file runs in this process, so that signals reach it. Plain
 * ES5, so that an old Node can print the sentence.
 */
'use strict'

var oldest = [22, 19]
var version = process.versions.node.split('.').map(Number)

if (version[0] < oldest[0] || (version[0] === oldest[0] && version[1] < oldest[1])) {
  console.error(
    'agentgateway needs Node ' +
      oldest.join('.') +
      ' or newer and this is ' +
      process.versions.node +
      ': run "npm ci" without --ignore-scripts, which brings its own Node, or install a newer one.',
  )
  process.exitCode = 1
} else {
  process.argv.splice(1, 1)
  process.argv[1] = require('path').resolve(process.argv[1])
  // No catch: an unhandled rejection already prints the fault and exits with 1.
  import(require('url').pathToFileURL(process.argv[1]).href)
}
