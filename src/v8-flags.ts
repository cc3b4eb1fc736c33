import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8's optimizing compiler put more of the functions that are called into those that call them. A request passes
 * hundreds of small ones, which is more than V8 has in mind: a conversation with a language model takes a tenth less CPU
 * time (docs/decisions/0033).
 *
 * For the whole process, and for what is compiled from now on: call it before there is work.
 */
export const raiseInlineBudgets = (): void => {
  for (const flag of flags) setFlagsFromString(flag)
}

/** In bytes of bytecode: what one function may have, and all of them together. V8's own are 460 and 920. */
const flags = ['--max-inlined-bytecode-size=1000', '--max-inlined-bytecode-size-cumulative=3000']
