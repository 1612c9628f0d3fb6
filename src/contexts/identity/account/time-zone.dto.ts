import { ApiField, TimeZone } from '../../../platform/http/api/fields.js';
import { ApiTextProperty, Success } from '../../../platform/http/api/response-properties.js';

export class TimeZoneRequest {
  @ApiField('A name of the IANA database.', 'Africa/Lagos')
  @TimeZone()
  timeZone: string;
}

class TimeZoneView {
  @ApiTextProperty('Where months of statements, and days of files, begin at midnight.', 'Africa/Lagos')
  timeZone: string;
}

export class TimeZoneResponse extends Success(TimeZoneView) {}
