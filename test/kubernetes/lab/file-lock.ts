import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Waits until no other process has the lock. It ends with this process, even if this one is killed. */
export const lockFile = async (path: string): Promise<AsyncDisposable> => {
  const child = spawn('flock', [path, 'sh', '-c', 'echo locked; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  // One that cannot be had ends without output.
  const [first] = (await Promise.race([once(child.stdout, 'data'), exited])) as [unknown]
  if (!Buffer.isBuffer(first)) throw new Error(`${path} cannot be locked`)
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
