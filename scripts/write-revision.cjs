/**
 * Writes the commit from which `dist` was built to `dist/revision`, for `--version`. It is AGENTGATEWAY_GIT_REVISION,
 * as in a container image, which is built without the history; else the commit of the checkout, with `-dirty` if files
 * differ from it. CommonJS, since it runs on any Node.
 */
const { execFileSync } = require('node:child_process')
const { writeFileSync } = require('node:fs')

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

const ofCheckout = () => {
  try {
    // A project that lies within another repository has no history of its own.
    if (git('rev-parse', '--show-prefix') !== '') return ''
    return git('rev-parse', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '-dirty')
  } catch {
    return ''
  }
}

const revision = process.env.AGENTGATEWAY_GIT_REVISION || ofCheckout()
if (revision !== '') writeFileSync('dist/revision', `${revision}\n`)
