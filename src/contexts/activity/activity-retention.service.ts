import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { ActivityStore } from './activity.store.js';

const DELETED_AT_ONCE_MAX = 5_000;
const STATEMENTS_PER_DAY_MAX = 2_000;

@Injectable()
export class ActivityRetention {
  private readonly log = new Logger('activity');

  constructor(
    private readonly store: ActivityStore,
    private readonly config: Config,
    jobs: Jobs,
  ) {
    jobs.daily('activity.delete-old-daily', '04:10', () => this.deleteOld());
  }

  async deleteOld(): Promise<void> {
    const days = this.config.ACTIVITY_KEPT_DAYS;
    let lines = 0;
    for (let n = 0; n < STATEMENTS_PER_DAY_MAX; n += 1) {
      const deleted = await this.store.deleteOlder(days, DELETED_AT_ONCE_MAX);
      lines += deleted;
      if (deleted < DELETED_AT_ONCE_MAX) break;
    }
    if (lines > 0)
      this.log.log(`${lines} lines of the activity log were older than ${days} days and are deleted`);
  }
}
