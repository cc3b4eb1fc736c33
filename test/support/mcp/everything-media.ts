/** One red pixel. */
export const pixelPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'

const samples = Buffer.alloc(16, 0x80)

/** Two milliseconds of silence: mono, eight bits, 8 kHz. */
export const silentWav = Buffer.concat([
  Buffer.from('RIFF'),
  uint32(36 + samples.length),
  Buffer.from('WAVEfmt '),
  uint32(16),
  uint16(1),
  uint16(1),
  uint32(8000),
  uint32(8000),
  uint16(1),
  uint16(8),
  Buffer.from('data'),
  uint32(samples.length),
  samples,
]).toString('base64')

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
