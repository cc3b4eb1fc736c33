/* A replica that takes part in an election: prints its states, and stops in good order on SIGTERM. */
import { fromEvent } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { leadership } from '../../../src/controller/streams/leadership.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'

const client = new ApiClient(await loadClusterAccess())
leadership({
  client,
  namespace: 'default',
  name: 'agentgateway-agentgateway',
  identity: `replica-${process.pid}`,
  stop$: fromEvent(process, 'SIGTERM'),
  log: silentLog,
}).subscribe({
  next: (isLeader) => console.log(isLeader ? 'leader' : 'follower'),
  complete: () => void client.close(),
})
