import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SourceMapTable } from './source-map.ts'
import type { ProfileFrame } from './stack-profile.ts'

/**
 * Finds the position in the source for a frame of a compiled script, by the source map beside the script. Frames of
 * scripts without a usable map stay as they are. Paths instead of URLs in both cases.
 *
 * Reads files synchronously: belongs into a worker thread.
 */
export const sourcePositions = (): ((frame: ProfileFrame) => ProfileFrame) => {
  const maps = new Map<string, SourceMapTable | undefined>()
  const mapOf = (script: string): SourceMapTable | undefined => {
    if (!maps.has(script)) maps.set(script, readMap(script))
    return maps.get(script)
  }
  return (frame) => {
    const script = pathOf(frame.script)
    const map = isAbsolute(script) && frame.line > 0 ? mapOf(script) : undefined
    const found = map && originOf(map, frame.line, Math.max(1, frame.column))
    if (!found) return { ...frame, script }
    const start = frame.startLine > 0 ? originOf(map, frame.startLine, 1) : undefined
    const { source, line, column } = found
    const startLine = start?.source === source ? start.line : 0
    return {
      name: frame.name,
      script: pathOf(new URL(source, pathToFileURL(script)).href),
      line,
      column,
      startLine,
    }
  }
}

interface Origin {
  readonly source: string
  readonly line: number
  readonly column: number
}

/** The last entry of the map at or before a position. */
const originOf = (map: SourceMapTable, line: number, column: number): Origin | undefined => {
  const found = map.find(line - 1, column - 1)
  return found && { source: found.source, line: found.line + 1, column: found.column + 1 }
}

const readMap = (script: string): SourceMapTable | undefined => {
  try {
    const text = readFileSync(script, 'utf8')
    const [, name] = /\n\/\/# sourceMappingURL=([^\s]+)\s*$/.exec(text.slice(-MAX_COMMENT)) ?? []
    if (name === undefined || name.includes(':')) return undefined
    const url = new URL(name, pathToFileURL(script))
    return new SourceMapTable(
      JSON.parse(readFileSync(url, 'utf8')) as ConstructorParameters<typeof SourceMapTable>[0],
    )
  } catch {
    // Without its files, such as in a container that has lost them, the position in the script is still useful.
    return undefined
  }
}

/** The comment that names the map is at the end of a script. */
const MAX_COMMENT = 1_000

const isAbsolute = (path: string): boolean => path.startsWith('/')
const pathOf = (script: string): string => {
  if (!script.startsWith('file:')) return script
  try {
    return fileURLToPath(script)
  } catch {
    return script
  }
}
