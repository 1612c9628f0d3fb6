import { ApiField, Prose } from '../../../platform/http/api/fields.js';
import {
  ApiIdProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import type { PaymentNote } from './notes.entity.js';

const NOTE_LENGTH_MAX = 2_000;

export class NoteRequest {
  @ApiField('What other members should know. It is not edited later.', 'Agreed with the office manager.')
  @Prose(1, NOTE_LENGTH_MAX)
  text: string;
}

class NoteView {
  @ApiIdProperty('The note.')
  id: string;

  @ApiTextProperty('What it says.', 'Agreed with the office manager.')
  text: string;

  @ApiIdProperty('The member who wrote it.')
  authorId: string;

  @ApiTextProperty('The e-mail that the member had then.', 'ada@example.ng', OR_NULL)
  author: string | null;

  @ApiTimeProperty('When it was written.')
  createdAt: Date;
}

export class NoteResponse extends Success(NoteView) {}

export class NotesResponse extends ListOf(NoteView, 'The oldest first, at most 100.') {}

export function presentNote({ id, text, authorId, author, createdAt }: PaymentNote): NoteView {
  return { id, text, authorId, author, createdAt };
}
