/**
 * Puts the commit that `dist` was built from into `dist/revision`, where `--version` finds it. It is that of
 * AGENTGATEWAY_GIT_REVISION, as in a container image, which is built without the history; else that of the checkout, with
 * `-dirty` if files differ from it. CommonJS, for it runs on any Node.
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
