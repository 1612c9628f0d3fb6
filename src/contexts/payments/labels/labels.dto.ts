import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ApiField, Name, Optional } from '../../../platform/http/api/fields.js';
import { ApiStringsProperty, Success } from '../../../platform/http/api/response-properties.js';
import { LABEL_LENGTH_MAX, type LabelChange, labelText, MEMO_LENGTH_MAX } from './labels.domain.js';

const Label = (max: number) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? labelText(value) : value)),
    Name(1, max),
  );

export class LabelsRequest implements LabelChange {
  @Optional()
  @ApiField('What the payment was for, in words of the members; null removes it.', 'Milk for the office')
  @Label(MEMO_LENGTH_MAX)
  memo?: string | null;

  @Optional()
  @ApiField('What it counts as; null removes it.', 'Groceries')
  @Label(LABEL_LENGTH_MAX)
  category?: string | null;

  @Optional()
  @ApiField('Who bears it; null removes it.', 'Lagos office')
  @Label(LABEL_LENGTH_MAX)
  costCentre?: string | null;
}

class UsedLabelsView {
  @ApiStringsProperty('Categories, in order.', ['Groceries', 'Travel'])
  categories: readonly string[];

  @ApiStringsProperty('Cost centres, in order.', ['Lagos office'])
  costCentres: readonly string[];
}

export class UsedLabelsResponse extends Success(UsedLabelsView) {}
