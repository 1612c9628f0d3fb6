import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One a member, of a payment that takes two. */
@Entity('approval_votes')
export class ApprovalVote {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @Column('timestamptz')
  at: Date;
}
