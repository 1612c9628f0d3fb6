import { Parameter } from '../../../platform/http/api/query.js';
import {
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { FILE_BYTES_MAX, FILE_TYPES, type FileType } from './files.domain.js';
import type { PaymentFile } from './files.entity.js';

export class FileQuery {
  @Parameter((query, field) => (typeof query[field] === 'string' ? query[field] : ''), {
    description: 'Its name. A path, control characters and an extension of another type do not stay in it.',
    type: 'string',
  })
  readonly name: string = '';
}

class FileView {
  @ApiIdProperty('The file.')
  id: string;

  @ApiTextProperty('Its name, with an extension of its type.', 'receipt.pdf')
  name: string;

  @ApiEnumProperty(FILE_TYPES, 'Its type, by its content.')
  type: FileType;

  @ApiIntegerProperty('Its bytes.', 48_213, { minimum: 1, maximum: FILE_BYTES_MAX })
  size: number;

  @ApiTextProperty(
    'The hex SHA-256 of its bytes.',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  sha256: string;

  @ApiTextProperty('The e-mail that the member who added it had then.', 'ada@example.ng', OR_NULL)
  addedBy: string | null;

  @ApiTimeProperty('When it was added.')
  createdAt: Date;
}

export class FileResponse extends Success(FileView) {}

export class FilesResponse extends ListOf(FileView, 'The oldest first, at most 10.') {}

export function presentFile(file: PaymentFile): FileView {
  const { id, name, type, size, sha256, addedByEmail, createdAt } = file;
  return { id, name, type, size, sha256, addedBy: addedByEmail, createdAt };
}
