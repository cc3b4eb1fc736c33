import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signRequest } from '../../../../src/upstream/credentials/aws/sign-request.ts'
import { signingScope } from '../../../../src/upstream/credentials/aws/signing-scope.ts'
import { exchange, type ExchangeOverrides } from '../../../../src/testing/index.ts'
import { checkSignature } from '../../../support/sigv4.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

const signed = async (
  overrides: ExchangeOverrides,
  body: string | undefined,
  service = 'service',
  more = {},
) => {
  const { request } = exchange(overrides)
  await signRequest(
    request,
    'api.example:8443',
    body === undefined ? undefined : Buffer.from(body),
    { ...keys, ...more },
    { region: 'eu-west-1', service },
  )
  const headers: Record<string, string> = Object.fromEntries(request.headers.entries())
  return {
    method: request.method,
    target: request.target,
    headers: { ...headers, host: 'api.example:8443' } as Record<string, string>,
    body: body ?? '',
  }
}

test('the signature check of these tests', async (t) => {
  await t.test('agrees with the published examples', () => {
    const vanilla = {
      method: 'GET',
      target: '/',
      headers: {
        host: 'example.amazonaws.com',
        'x-amz-date': '20150830T123600Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
      },
      body: '',
    }
    assert.equal(checkSignature(vanilla, keys.secretAccessKey).isRight, true)
    assert.equal(checkSignature({ ...vanilla, method: 'PUT' }, keys.secretAccessKey).isRight, false)
    const object = {
      method: 'GET',
      target: '/test.txt',
      headers: {
        host: 'examplebucket.s3.amazonaws.com',
        range: 'bytes=0-9',
        'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        'x-amz-date': '20130524T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      },
      body: '',
    }
    assert.equal(checkSignature(object, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY').isRight, true)
  })
})

test('signRequest', async (t) => {
  const cases: readonly (readonly [string, ExchangeOverrides, string | undefined, string?])[] = [
    ['a request without a body', {}, ''],
    ['a body', { method: 'POST', headers: { 'content-type': 'application/json' } }, '{"a":1}'],
    ['a path with escapes', { path: '/a%20b/%C3%BC/c(d)*e~f/g%2Fh' }, ''],
    ['a path with escapes for S3', { path: '/a%20b/%C3%BC/c(d)*e~f/g%2Fh' }, '', 's3'],
    ['empty segments of a path for S3', { path: '/a//b/' }, '', 's3'],
    ['a query in any order', { path: '/?b=2&a=1&b=1&empty=&flag&%C3%BC=%2F%20!*' }, ''],
    ['fields that AWS defines', { headers: { 'x-amz-target': 'Service.Operation', 'x-other': 'x' } }, ''],
    ['a body that is sent as it comes', { method: 'PUT', path: '/key' }, undefined, 's3'],
  ]
  for (const [what, overrides, body, service] of cases)
    await t.test(`signs ${what}`, async () => {
      const request = await signed(overrides, body, service)
      const checked = checkSignature(request, keys.secretAccessKey)
      assert.deepEqual(
        [checked.isRight, checked.isOfBody, checked.scope, checked.accessKeyId],
        [true, body !== undefined, `eu-west-1/${service ?? 'service'}/aws4_request`, 'AKIDEXAMPLE'],
      )
    })

  await t.test(
    'signs the host, the type of the body and what AWS defines, and nothing that proxies change',
    async () => {
      const { headers } = await signed(
        { headers: { 'content-type': 'text/plain', 'x-amz-target': 'x', 'user-agent': 'x', accept: 'x' } },
        '',
        'service',
        { sessionToken: 'session' },
      )
      assert.match(
        String(headers.authorization),
        /SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-target,/,
      )
      assert.equal(headers['x-amz-security-token'], 'session')
    },
  )

  await t.test("removes the client's signature", async () => {
    const request = await signed(
      {
        headers: {
          authorization: 'theirs',
          'x-amz-security-token': 'theirs',
          'x-amz-date': 'x',
          'x-amz-content-sha256': 'x',
        },
      },
      '',
    )
    assert.equal(request.headers['x-amz-security-token'], undefined)
    assert.equal(checkSignature(request, keys.secretAccessKey).isRight, true)
  })

  await t.test('encodes a plus sign of the query as a blank', async () => {
    const request = await signed({ path: '/?q=a+b%2Bc' }, '')
    assert.equal(request.target, '/?q=a%20b%2Bc')
    assert.equal(checkSignature(request, keys.secretAccessKey).isRight, true)
  })
})

test('signingScope', async (t) => {
  const hosts: Readonly<Record<string, string>> = {
    'bedrock-runtime.eu-west-1.amazonaws.com': 'bedrock eu-west-1',
    'bucket.s3.us-east-1.amazonaws.com:443': 's3 us-east-1',
    'a1b2.execute-api.ap-southeast-2.amazonaws.com': 'execute-api ap-southeast-2',
    'x.lambda-url.us-gov-west-1.on.aws': 'lambda us-gov-west-1',
    'sqs.cn-north-1.amazonaws.com.cn': 'sqs cn-north-1',
  }
  for (const [host, expected] of Object.entries(hosts))
    await t.test(`finds ${expected} in ${host}`, () => {
      const { service, region } = signingScope({}, host)
      assert.equal(`${service} ${region}`, expected)
    })

  await t.test('prefers the policy', () => {
    assert.deepEqual(signingScope({ region: 'r', serviceName: 's' }, 'sqs.cn-north-1.amazonaws.com'), {
      region: 'r',
      service: 's',
    })
  })

  await t.test('reports missing parts', () => {
    assert.throws(() => signingScope({ region: 'r' }, 'api.example'), /needs a serviceName/)
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env
    delete process.env.AWS_REGION
    delete process.env.AWS_DEFAULT_REGION
    try {
      assert.throws(() => signingScope({ serviceName: 's' }, 'sqs.evil.test'), /needs a region/)
    } finally {
      if (AWS_REGION !== undefined) process.env.AWS_REGION = AWS_REGION
      if (AWS_DEFAULT_REGION !== undefined) process.env.AWS_DEFAULT_REGION = AWS_DEFAULT_REGION
    }
  })
})
