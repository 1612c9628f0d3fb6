import { Injectable } from '@nestjs/common';
import { validationError } from '../../kernel/errors.js';
import { Database } from '../../platform/database/database.js';
import { type SavedView, SavedViews } from './search.entity.js';

const VIEWS_MAX = 20;

@Injectable()
export class SavedViewsStore {
  constructor(private readonly database: Database) {}

  async of(userId: string): Promise<readonly SavedView[]> {
    const saved = await this.database.repository(SavedViews).findOneBy({ userId });
    return saved?.views ?? [];
  }

  /** Throws `VALIDATION_ERROR` for one too many. */
  save(userId: string, { name, query }: SavedView): Promise<readonly SavedView[]> {
    return this.change(userId, (views) => {
      if (views.some((view) => view.name === name))
        return views.map((view) => (view.name === name ? { name, query } : view));
      if (views.length < VIEWS_MAX) return [...views, { name, query }];
      throw validationError({
        field: 'name',
        message: `is one too many: remove one of the ${VIEWS_MAX} saved views first`,
      });
    });
  }

  /** Returns the others. */
  remove(userId: string, name: string): Promise<readonly SavedView[]> {
    return this.change(userId, (views) => views.filter((view) => view.name !== name));
  }

  private change(
    userId: string,
    changed: (views: readonly SavedView[]) => readonly SavedView[],
  ): Promise<readonly SavedView[]> {
    return this.database.transaction(async (tx) => {
      const saved = tx.repository(SavedViews);
      await saved.createQueryBuilder().insert().values({ userId, views: [] }).orIgnore().execute();
      const { views } = await saved.findOneOrFail({ where: { userId }, lock: { mode: 'pessimistic_write' } });
      const after = changed(views);
      await saved.update({ userId }, { views: after });
      return after;
    });
  }
}
