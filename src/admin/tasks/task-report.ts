import type { ProcessReport } from '../process-report.ts'
import { runInSlices } from '../../model/event-loop/time-slicing.ts'
import { collectTasks, type TaskSources } from './collect-tasks.ts'
import type { TaskTrees } from './task-node.ts'

/** The tasks of each process; together, a tree for each. */
export const taskReport = (sources: TaskSources): ProcessReport<TaskTrees> => ({
  name: 'tasks',
  collect: () => runInSlices(collectTasks(sources)),
  merge: (reports) => ({
    admin: reports.flatMap(({ admin }) => admin),
    workload: reports.flatMap(({ workload }) => workload),
  }),
})
