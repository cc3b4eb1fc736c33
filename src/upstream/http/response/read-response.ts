/**
 * Reads a whole response body.
 *
 * @throws Error if it is longer than `limitBytes`, or breaks off; the rest is released.
 */
export const readResponse = async (body: AsyncIterable<Buffer>, limitBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw new Error(`its answer is longer than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
