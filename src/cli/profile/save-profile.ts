import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { profileFileName } from './profile-file-name.ts'
import { showProgress } from './show-progress.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import type { AdminClient } from '../gateway/admin-client.ts'
import type { GatewaySelection } from '../gateway/gateway-options.ts'
import { gatewayTarget } from '../gateway/gateway-targets.ts'
import { interruptible } from '../interrupt.ts'

/** Options of `agctl proxy profile`. */
export interface ProfileOptions extends GatewaySelection {
  readonly output?: string
  readonly seconds?: string
  /** Another name of `--proxy-admin-port`. */
  readonly port?: string
}

/** `agctl proxy profile`: writes a profile of a gateway to a file. */
export const saveProfile = async (
  kind: 'cpu' | 'heap',
  options: ProfileOptions,
  args: readonly string[],
): Promise<void> => {
  if (args.length > 1) throw usageFailure(`accepts at most 1 arg(s), received ${String(args.length)}`)
  const seconds = kind === 'cpu' ? parseSeconds(options.seconds ?? '30') : 0
  const file = options.output ?? profileFileName(kind, new Date())
  const proxyAdminPort = options.port ?? options.proxyAdminPort
  const target = await gatewayTarget({ ...options, proxyAdminPort }, args[0])
  await interruptible(async (signal) => {
    const progress = showProgress(`Recording ${kind} profile`, seconds)
    try {
      await target.withAdmin((admin) => download(admin, { kind, seconds, file, signal }))
    } finally {
      progress.stop()
    }
  })
  process.stdout.write(`Wrote ${kind} profile to ${file}\n`)
}

const parseSeconds = (text: string): number => {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > 300) throw usageFailure(`invalid --seconds ${text}; must be between 1 and 300`)
  return seconds
}

interface Download {
  readonly kind: 'cpu' | 'heap'
  readonly seconds: number
  readonly file: string
  readonly signal: AbortSignal
}

const download = async (admin: AdminClient, { kind, seconds, file, signal }: Download): Promise<void> => {
  const call = {
    path: kind === 'cpu' ? `/debug/pprof/profile?seconds=${String(seconds)}` : '/debug/pprof/heap',
    timeoutMs: kind === 'cpu' ? (seconds + 10) * 1000 : 30_000,
    signal,
  }
  const response = await admin.send(call)
  const { statusCode = 0 } = response
  if (statusCode === 409 || statusCode === 400) {
    const { message } = await admin.failureOf(call, response)
    throw new CommandFailure(
      `${kind} profile returned ${String(statusCode)}${message.replace(/^.*?status code: \d+/, '')}`,
      statusCode === 409 ? { hint: 'A gateway records one profile at a time.' } : {},
    )
  }
  if (statusCode !== 200) throw await admin.failureOf(call, response)
  await write(response, kind, file)
}

/** Writes beside the file and renames, so that there is either a whole profile or none, and an old one stays. */
const write = async (response: IncomingMessage, kind: string, file: string): Promise<void> => {
  const partial = `${file}.partial`
  try {
    await pipeline(response, gzipOnly(kind), createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    if (error instanceof CommandFailure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`cannot write the ${kind} profile to ${file}: ${reason}`, { cause: error })
  }
}

/** A profile of five minutes at the highest frequency has a few MiB. */
const limitBytes = 256 * 1024 * 1024

/** Lets only gzip pass, which profiles are, and not without end. */
const gzipOnly = (kind: string): Transform => {
  let isChecked = false
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > limitBytes)
        done(
          new CommandFailure(
            `the response is longer than ${String(limitBytes)} bytes, and no ${kind} profile`,
          ),
        )
      else if (!isChecked && chunk[0] !== 0x1f)
        done(new CommandFailure(`the response is not a ${kind} profile`))
      else done(null, chunk)
      isChecked = true
    },
    flush(done) {
      done(isChecked ? null : new CommandFailure(`the ${kind} profile is empty`))
    },
  })
}
