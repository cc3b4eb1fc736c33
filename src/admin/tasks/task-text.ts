import type { TaskNode, TaskTrees } from './task-node.ts'

/**
 * The trees as text for people, a line a task: kind, name, age, and the other fields as `name=value`. Names that clients
 * choose cannot contain control characters that a terminal would obey.
 */
export function* taskText({ admin, workload }: TaskTrees): Generator<string, void, undefined> {
  yield 'admin\n'
  yield* lines(admin, '')
  yield 'workload\n'
  yield* lines(workload, '')
}

function* lines(tasks: readonly TaskNode[], indent: string): Generator<string, void, undefined> {
  for (const [i, task] of tasks.entries()) {
    const isLast = i === tasks.length - 1
    yield `${indent}${isLast ? '└─' : '├─'} ${lineOf(task)}\n`
    if (task.children) yield* lines(task.children, `${indent}${isLast ? '   ' : '│  '}`)
  }
}

const lineOf = ({ task, name, ageMs, children: _, ...more }: TaskNode): string => {
  const parts = [task]
  if (name !== undefined) parts.push(printable(name))
  if (ageMs !== undefined) parts.push(durationText(ageMs))
  for (const [key, value] of Object.entries(more))
    if (value !== undefined && value !== null) parts.push(attributeText(key, value))
  return parts.join(' ')
}

const attributeText = (key: string, value: unknown): string => {
  if (typeof value === 'number' && key.endsWith('Ms')) return `${key.slice(0, -2)}=${durationText(value)}`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = printable(text)
  return `${key}=${shown === '' || (shown.includes(' ') && typeof value === 'string') ? `"${shown}"` : shown}`
}

/** ASCII as it is, everything else as escapes. */
const printable = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const durationText = (ms: number): string => {
  if (ms < 1_000) return `${ms}ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`
  const minutes = Math.floor(ms / 60_000)
  const rest = Math.floor((ms % 60_000) / 1_000)
  return minutes < 60 ? `${minutes}m${rest}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m`
}
