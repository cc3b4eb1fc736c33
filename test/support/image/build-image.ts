import { existsSync } from 'node:fs'
import { cp, link, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '../command.ts'
import { BuildContext, copyGoal } from './build-context.ts'
import { readCopy, type Stage } from './dockerfile.ts'

/** The resulting image: a folder that stands for `/`, and its start command. */
export interface Image {
  readonly root: string
  readonly workdir: string
  readonly user: string
  readonly env: Readonly<Record<string, string>>
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** The command of `HEALTHCHECK`, without its options. */
  readonly healthcheck: readonly string[]
  readonly ports: readonly number[]
}

/**
 * Runs a `RUN` in a folder, as the user of `USER`. Rejects if that fails. A command in exec form is a program of the
 * image: its path is below `root`, the folder that stands for `/`.
 */
export type Run = (line: string, cwd: string, user?: number, root?: string) => Promise<void>

/**
 * Runs the stages in folders under `into`: copies from `context` as `.dockerignore` allows, and runs the commands.
 * Base images are empty, but for Node in those that are distroless; the programs of this machine stand in for theirs.
 * Only root can be other users: `USER` and `--chown` mean nothing to others.
 *
 * @param run Default: `execute`.
 * @param args The values of `--build-arg`.
 */
export const buildImage = async (
  stages: readonly Stage[],
  context: string,
  into: string,
  run: Run = execute,
  args: Readonly<Record<string, string>> = {},
): Promise<Image> => {
  const files = new BuildContext(context)
  let image: Image | undefined
  for (const { name, image: stageImage, instructions } of stages) {
    const root = join(into, name)
    let declared = ''
    if (stageImage.includes('distroless')) await bringNode(root)
    let built: Image = {
      root,
      workdir: '/',
      user: 'root',
      env: {},
      entrypoint: [],
      command: [],
      healthcheck: [],
      ports: [],
    }
    for (const { word, rest } of instructions) {
      if (word === 'COPY') await copy(rest, files, into, join(root, built.workdir))
      else if (word === 'ARG') declared += argument(rest, args)
      else if (word === 'RUN')
        await run(
          declared + commandLine(rest, root),
          join(root, built.workdir),
          userId(built.user),
          isExecForm(rest) ? root : undefined,
        )
      else built = { ...built, ...setting(word, rest, built) }
      await mkdir(join(root, built.workdir), { recursive: true })
    }
    image = built
  }
  if (!image) throw new Error('no FROM')
  return image
}

/** The assignment of an `ARG`, for the commands after it. */
const argument = (rest: string, args: Readonly<Record<string, string>>): string => {
  const [name = '', byDefault] = rest.split('=')
  const value = args[name] ?? byDefault
  return value === undefined ? '' : `${name}=${value} `
}

const isExecForm = (rest: string): boolean => rest.startsWith('[')

/** The command of a `RUN`; in exec form the program is one of the image. */
const commandLine = (rest: string, root: string): string => {
  if (!isExecForm(rest)) return rest
  const [program = '', ...args] = JSON.parse(rest) as string[]
  return [join(root, program), ...args].join(' ')
}

/** The Node of this machine, where the base image has its own. It is linked where that is possible: it has 120 MB. */
const bringNode = async (root: string): Promise<void> => {
  const path = join(root, 'nodejs/bin/node')
  await mkdir(join(root, 'nodejs/bin'), { recursive: true })
  await link(process.execPath, path).catch(() => cp(process.execPath, path))
}

/** The number of a user. Undefined for root, and wherever this process cannot be others. */
export const userId = (user: string): number | undefined =>
  user === 'root' || process.getuid?.() !== 0 ? undefined : Number(user.replace(/:.*/, ''))

/** Runs the command itself. npm uses its cache of the registry, without audits and notices. */
export const execute: Run = async (line, cwd, user) => {
  const env = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }
  const { status, stdout, stderr } = await command('sh', ['-c', line], {
    cwd,
    env,
    ...(user !== undefined && { user }),
  })
  if (status !== 0) throw new Error(`RUN ${line} exited with ${status}:\n${stdout}${stderr}`)
}

const setting = (word: string, rest: string, image: Image): Partial<Image> => {
  switch (word) {
    case 'WORKDIR':
      return { workdir: rest }
    case 'USER':
      return { user: rest }
    case 'ENV':
      return { env: { ...image.env, ...variables(rest) } }
    case 'EXPOSE':
      return { ports: rest.split(' ').map(Number) }
    // Only the exec form is JSON, and only the exec form passes signals to the program.
    case 'ENTRYPOINT':
      return { entrypoint: JSON.parse(rest) as string[] }
    case 'CMD':
      return { command: JSON.parse(rest) as string[] }
    case 'HEALTHCHECK':
      return { healthcheck: JSON.parse(rest.replace(/^.*? CMD /, '')) as string[] }
    default:
      throw new Error(`unknown instruction ${word} ${rest}`)
  }
}

const variables = (rest: string): Record<string, string> =>
  Object.fromEntries(rest.split(' ').map((pair) => [pair.replace(/=.*/, ''), pair.replace(/^[^=]*=/, '')]))

const copy = async (rest: string, context: BuildContext, into: string, workdir: string): Promise<void> => {
  const { from, owner, paths, target } = readCopy(rest)
  for (const path of paths) {
    const source = join(from === undefined ? context.folder : join(into, from), path)
    const isFolder = (await stat(source)).isDirectory()
    const goal = copyGoal(path, isFolder, join(workdir, target))
    if (from === undefined) await context.copy(path, goal)
    else await copyOfStage(source, goal, isFolder, owner)
  }
}

/**
 * Copies by hard links: nothing changes a file of a stage in place, and copying all dependencies again takes seconds. What
 * gets another owner is a copy of its own, with the modes that it had, as is what a stage has from another file system.
 */
const copyOfStage = async (
  source: string,
  goal: string,
  isFolder: boolean,
  owner: string | undefined,
): Promise<void> => {
  const changesOwner = owner !== undefined && process.getuid?.() === 0
  const isNew = !existsSync(goal)
  const folder = isFolder ? goal : dirname(goal)
  await mkdir(folder, { recursive: true })
  const isLinked = !changesOwner && (await stat(source)).dev === (await stat(folder)).dev
  await runProgram('cp', [isLinked ? '-RPl' : '-RPp', isFolder ? `${source}/.` : source, goal])
  if (!changesOwner) return
  // A folder that was there stays its owner's, unlike what is in it.
  const owned = isNew || !isFolder ? [goal] : (await readdir(source)).map((entry) => join(goal, entry))
  await runProgram('chown', ['-RP', owner, ...owned])
}

const runProgram = async (program: string, args: readonly string[]): Promise<void> => {
  const { status, stderr } = await command(program, args)
  if (status !== 0) throw new Error(stderr)
}
