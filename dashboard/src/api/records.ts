import { answerOf, api, data } from './request.js';
import type { components } from './schema.js';
import { type Upload, uploading } from './upload.js';

/* What members write on a payment: memo, category, cost centre, notes and files. */

type Schemas = components['schemas'];
export type PaymentNote = Schemas['NoteView'];

export interface Place {
  walletId: string;
  transactionId: string;
}

const at = (path: Place) => ({ params: { path } });
const ONE = '/v1/wallets/{walletId}/transactions/{transactionId}';

export const setLabels = (place: Place, body: Schemas['LabelsRequest']) =>
  data(answerOf(api.PATCH(ONE, { ...at(place), body })));

export const usedLabels = () => data(answerOf(api.GET('/v1/payment-labels')));

export const notesOf = (place: Place) => data(answerOf(api.GET(`${ONE}/notes`, at(place))));

export const addNote = (place: Place, text: string) =>
  data(answerOf(api.POST(`${ONE}/notes`, { ...at(place), body: { text } })));

export const removeNote = (place: Place, noteId: string) =>
  answerOf(api.DELETE(`${ONE}/notes/{noteId}`, { params: { path: { ...place, noteId } } }));

export const filesOf = (place: Place) => data(answerOf(api.GET(`${ONE}/files`, at(place))));

export const addFile = (path: Place, file: File, upload: Upload) =>
  data(
    answerOf(
      api.POST(`${ONE}/files`, {
        params: { path, query: { name: file.name } },
        // The document has bytes as text.
        body: file as unknown as string,
        bodySerializer: (bytes) => bytes as unknown as File,
        headers: { 'content-type': 'application/octet-stream' },
        fetch: uploading(file, upload),
      }),
    ),
  );

export const removeFile = (place: Place, fileId: string) =>
  answerOf(api.DELETE(`${ONE}/files/{fileId}`, { params: { path: { ...place, fileId } } }));

export const fileAddress = ({ walletId, transactionId }: Place, fileId: string) =>
  `/v1/wallets/${walletId}/transactions/${transactionId}/files/${fileId}`;
