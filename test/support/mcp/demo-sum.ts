import { RawMcp } from './raw-mcp.ts'

/** The result of the demo server, behind some gateway, for 40 and 2. */
export const demoSum = async (url: string): Promise<unknown> => {
  const { messages } = await new RawMcp(url).modern('tools/call', { name: 'add', arguments: { a: 40, b: 2 } })
  const [{ result }] = messages as [{ readonly result?: { readonly content: readonly { text: string }[] } }]
  return result?.content[0]?.text ?? messages
}
