import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingHostnames } from '../../../../src/controller/translate/route/matching-hostnames.ts'

test('a route without host names serves all of the listener', () => {
  assert.deepEqual(matchingHostnames(undefined, undefined), [''])
  assert.deepEqual(matchingHostnames('a.example.com', []), [''])
})

test('a listener without host name serves all names of the route', () => {
  assert.deepEqual(matchingHostnames(undefined, ['a.test', '*.b.test']), ['a.test', '*.b.test'])
})

test('names match exactly, whatever their case', () => {
  assert.deepEqual(matchingHostnames('A.example.com', ['a.EXAMPLE.com', 'b.example.com', 'a.example.com']), [
    'a.example.com',
  ])
})

test('a wildcard covers one or more labels, and not the name without them', () => {
  const names = ['a.example.com', 'b.a.example.com', 'example.com', 'badexample.com']
  assert.deepEqual(matchingHostnames('*.example.com', names), ['a.example.com', 'b.a.example.com'])
})

test('a wildcard of the route covers the name of the listener', () => {
  assert.deepEqual(matchingHostnames('a.example.com', ['*.example.com', '*.com', '*.a.example.com']), [
    '*.example.com',
    '*.com',
  ])
})

test('of two wildcards, either may cover the other', () => {
  assert.deepEqual(matchingHostnames('*.a.com', ['*.b.a.com', '*.com', '*.a.com', '*.b.com']), [
    '*.b.a.com',
    '*.com',
    '*.a.com',
  ])
})

test('without a host in common there is none', () => {
  assert.deepEqual(matchingHostnames('a.example.com', ['b.example.com', '*.other.test']), [])
})
