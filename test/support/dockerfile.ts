import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, stat } from 'node:fs/promises'
import { basename, join, matchesGlob } from 'node:path'
import { command } from './command.ts'

/** One instruction: its keyword, and the rest of its line. */
export interface Instruction {
  readonly word: string
  readonly rest: string
}

/** A stage that begins with `FROM`. */
export interface Stage {
  readonly image: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

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

/** Runs a `RUN` in a folder, as the user of `USER`. Rejects if that fails. */
export type Run = (line: string, cwd: string, user?: number) => Promise<void>

/**
 * The stages of a Dockerfile. Supports what the project's uses: no line continuations, no variables, no build mounts.
 */
export const readDockerfile = (text: string): Stage[] => {
  const stages: { image: string; name: string; instructions: Instruction[] }[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [word = '', ...words] = line.split(' ')
    if (word === 'FROM') {
      stages.push({ image: words[0]!, name: words[2] ?? String(stages.length), instructions: [] })
    } else {
      stages.at(-1)!.instructions.push({ word, rest: words.join(' ') })
    }
  }
  return stages
}

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
  const ignored = ignoring(await readFile(join(context, '.dockerignore'), 'utf8'))
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
      if (word === 'COPY') await copy(rest, context, into, join(root, built.workdir), ignored)
      else if (word === 'ARG') declared += argument(rest, args)
      else if (word === 'RUN')
        await run(declared + commandLine(rest, root), join(root, built.workdir), userId(built.user))
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

/** The command of a `RUN`; in exec form the program is one of the image. */
const commandLine = (rest: string, root: string): string => {
  if (!rest.startsWith('[')) return rest
  const [program = '', ...args] = JSON.parse(rest) as string[]
  return [join(root, program), ...args].join(' ')
}

/** The Node of this machine, where the base image has its own. */
const bringNode = async (root: string): Promise<void> => {
  await mkdir(join(root, 'nodejs/bin'), { recursive: true })
  await cp(process.execPath, join(root, 'nodejs/bin/node'))
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

const copy = async (
  rest: string,
  context: string,
  into: string,
  workdir: string,
  ignored: (path: string) => boolean,
): Promise<void> => {
  const from = /^--from=(\S+) (?:--chown=(\S+) )?/.exec(rest)
  const paths = (from ? rest.slice(from[0].length) : rest).split(' ')
  const target = join(workdir, paths.pop()!)
  for (const path of paths) {
    const source = from ? join(into, from[1]!, path) : join(context, path)
    const isFolder = (await stat(source)).isDirectory()
    // As in Docker, a folder is copied by its content, and a file is copied into the target only if that ends with
    // a slash.
    const goal = isFolder || !target.endsWith('/') ? target : join(target, basename(path))
    if (from) await copyOfStage(source, goal, isFolder, from[2])
    else await copyAllowed(context, path, goal, isFolder, ignored)
  }
}

/**
 * Copies by hard links: nothing changes a file of a stage in place, and copying all dependencies again takes seconds. What
 * gets another owner is a copy of its own, with the modes that it had.
 */
const copyOfStage = async (
  source: string,
  goal: string,
  isFolder: boolean,
  owner: string | undefined,
): Promise<void> => {
  const changesOwner = owner !== undefined && process.getuid?.() === 0
  const isNew = !existsSync(goal)
  if (isFolder) await mkdir(goal, { recursive: true })
  await runProgram('cp', [changesOwner ? '-RPp' : '-RPl', isFolder ? `${source}/.` : source, goal])
  if (!changesOwner) return
  // A folder that was there stays its owner's, unlike what is in it.
  const owned = isNew || !isFolder ? [goal] : (await readdir(source)).map((entry) => join(goal, entry))
  await runProgram('chown', ['-RP', owner, ...owned])
}

const runProgram = async (program: string, args: readonly string[]): Promise<void> => {
  const { status, stderr } = await command(program, args)
  if (status !== 0) throw new Error(stderr)
}

const copyAllowed = async (
  context: string,
  path: string,
  goal: string,
  isFolder: boolean,
  ignored: (path: string) => boolean,
): Promise<void> => {
  if (isFolder) {
    for (const entry of await readdir(join(context, path), { withFileTypes: true })) {
      await copyAllowed(context, join(path, entry.name), join(goal, entry.name), entry.isDirectory(), ignored)
    }
  } else if (ignored(path)) {
    throw new Error(`.dockerignore keeps ${path} out of the build, and the Dockerfile copies it`)
  } else {
    await cp(join(context, path), goal)
  }
}

/** The last pattern that matches a path or one of its folders decides. */
const ignoring = (text: string): ((path: string) => boolean) => {
  const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return (path) => {
    const folders = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
    const last = patterns.findLast((pattern) =>
      folders.some((folder) => matchesGlob(folder, pattern.replace(/^!/, ''))),
    )
    return last !== undefined && !last.startsWith('!')
  }
}
