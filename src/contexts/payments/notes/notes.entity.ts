import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('payment_notes')
@Check('payment_notes_text_check', 'char_length(text) BETWEEN 1 AND 2000')
export class PaymentNote {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'author_id' })
  authorId: string;

  /** E-mail at that time. */
  @Column('text', { nullable: true })
  author: string | null;

  @Column('text')
  text: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
