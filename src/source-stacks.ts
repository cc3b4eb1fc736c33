import { extname } from 'node:path'
import { sourcePositions } from './admin/profiling/source-positions.ts'

/**
 * Makes the stacks of errors name the sources of a bundled program, as profiles do. The maps are read with the first
 * stack that is printed: Node's own option reads all of them at the start.
 */
export const nameSourcesInStacks = (): void => {
  if (extname(import.meta.url) === '.ts') return
  const inSource = sourcePositions()
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => {
      const [script, line, column] = [
        site.getScriptNameOrSourceURL(),
        site.getLineNumber(),
        site.getColumnNumber(),
      ]
      // The type leaves out what V8 has: the line of the stack.
      const text = (site as { toString(): string }).toString()
      if (!script?.startsWith('file:') || line === null || column === null) return text
      const source = inSource({ name: '', script, line, column, startLine: 0 })
      return text.replace(
        `${script}:${line}:${column}`,
        () => `${source.script}:${source.line}:${source.column}`,
      )
    })
    return [headline(error), ...lines].join('\n    at ')
  }
}

const headline = (error: Error): string => {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}
