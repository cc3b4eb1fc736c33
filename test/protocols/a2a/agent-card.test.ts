import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentPathOf, withAgentCardUrl } from '../../../src/protocols/a2a/agent-card.ts'

test('recognizes the paths of cards', () => {
  assert.deepEqual(
    [
      '/.well-known/agent.json',
      '/agents/travel/.well-known/agent-card.json',
      '/.well-known/agent-card.json/',
      '/x.well-known/agent.json',
      '/',
    ].map(agentPathOf),
    ['', '/agents/travel', undefined, undefined, undefined],
  )
})

const home = 'https://gateway.test/travel'
const rehomed = (card: unknown): unknown => {
  const text = withAgentCardUrl(JSON.stringify(card), home)
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

test('rewrites a card of version 0.3', () => {
  assert.deepEqual(
    rehomed({
      protocolVersion: '0.3.0',
      url: 'http://agent:9000/',
      additionalInterfaces: [
        { url: 'http://agent:9000/', transport: 'JSONRPC' },
        { url: 'agent:9001', transport: 'GRPC' },
      ],
      provider: { organization: 'Us', url: 'https://us.test' },
      iconUrl: 'https://us.test/icon.png',
    }),
    {
      protocolVersion: '0.3.0',
      url: home,
      additionalInterfaces: [
        { url: home, transport: 'JSONRPC' },
        { url: home, transport: 'GRPC' },
      ],
      provider: { organization: 'Us', url: 'https://us.test' },
      iconUrl: 'https://us.test/icon.png',
    },
  )
})

test('rewrites a card of version 1.0', () => {
  assert.deepEqual(
    rehomed({
      name: 'a',
      supportedInterfaces: [{ url: 'http://agent:9000/', protocolBinding: 'JSONRPC' }, { url: 5 }, null],
    }),
    { name: 'a', supportedInterfaces: [{ url: home, protocolBinding: 'JSONRPC' }, { url: 5 }, null] },
  )
})

test('removes signatures that became invalid, and keeps others', () => {
  assert.deepEqual(rehomed({ url: 'http://agent/', signatures: [{ signature: 'x' }] }), { url: home })
  assert.equal(rehomed({ url: home, signatures: [{ signature: 'x' }] }), undefined)
})

test('does not change other documents', () => {
  for (const text of [
    '',
    'null',
    '[]',
    '"http://agent/"',
    '<html>',
    '{"url":1}',
    '{"a":{"url":"http://agent/"}}',
    '{"supportedInterfaces":{"url":"x"}}',
  ])
    assert.equal(withAgentCardUrl(text, home), undefined, text)
})
