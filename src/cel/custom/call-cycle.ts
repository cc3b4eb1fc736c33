import type { Node } from '../library.ts'
import { nodesOf } from '../prepare.ts'
import type { Definition } from './definition.ts'

/** A definition, and the tree of its body. */
export interface Body {
  readonly definition: Definition
  readonly root: Node
}

/** A function that calls itself, and the call that does it. */
export interface CallCycle {
  readonly problem: string
  readonly offset: number
}

/** Finds a function that calls itself, directly or by way of others. Without any, every evaluation ends. */
export const callCycle = (bodies: readonly Body[]): CallCycle | undefined => {
  const done = new Set<Body>()
  const visit = (body: Body, path: readonly Body[]): CallCycle | undefined => {
    if (done.has(body)) return undefined
    for (const { called, offset } of callsOf(body, bodies)) {
      const from = [...path, body].indexOf(called)
      if (from >= 0) {
        const [first, ...others] = [...path, body].slice(from).map(({ definition }) => `"${definition.name}"`)
        const way = others.length ? ` by way of ${others.join(', ')}` : ''
        return { problem: `${String(first)} calls itself${way}`, offset }
      }
      const found = visit(called, [...path, body])
      if (found) return found
    }
    done.add(body)
    return undefined
  }
  for (const body of bodies) {
    const found = visit(body, [])
    if (found) return found
  }
  return undefined
}

const callsOf = ({ root }: Body, bodies: readonly Body[]): { called: Body; offset: number }[] =>
  [...nodesOf(root)].flatMap((node) => {
    if (node.op !== 'call' && node.op !== 'rcall') return []
    const called = bodies.find(
      ({ definition }) => definition.name === node.args[0] && definition.method === (node.op === 'rcall'),
    )
    return called ? [{ called, offset: node.start }] : []
  })
