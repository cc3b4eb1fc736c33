import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultReply, onReply, rescue } from 'agentgateway'
import { fakeUpstream, exchange, operatorLaws, run } from 'agentgateway/testing'
import { pipe } from 'rxjs'
import { openHours } from './open-hours.ts'

test('openHours', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(openHours(8, 20, () => 12))
    await operatorLaws(openHours(8, 20, () => 3))
  })

  await t.test('lets requests pass from the first hour up to the last', () => {
    const codes = [7, 8, 19, 20].map(
      (hour) =>
        run(
          openHours(8, 20, () => hour),
          exchange(),
        ).reply?.code,
    )
    assert.deepEqual(codes, ['closed', undefined, undefined, 'closed'])
  })

  await t.test('works inside a pipeline', async () => {
    const pipeline = (hour: number) =>
      pipe(
        rescue(
          pipe(
            openHours(8, 20, () => hour),
            fakeUpstream(200, {}, 'welcome'),
          ),
          faultReply(),
        ),
        // Runs for every reply, refusals too.
        onReply('stamp', (x) => x.reply?.headers.set('x-served-by', 'mine')),
      )
    const [day, night] = [12, 3].map((hour) => run(pipeline(hour), exchange()).reply)
    assert.deepEqual([day?.status, night?.status], [200, 503])
    assert.deepEqual([day?.headers.get('x-served-by'), night?.headers.get('x-served-by')], ['mine', 'mine'])
    assert.equal(String(await night?.body.read(100)), "open from 8 to 20 o'clock")
  })
})
