import { Column, Entity, PrimaryColumn } from 'typeorm';

export interface SavedView {
  readonly name: string;
  readonly query: string;
}

@Entity('saved_views')
export class SavedViews {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @Column('jsonb')
  views: readonly SavedView[];
}
