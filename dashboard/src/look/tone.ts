/** What a word about money means to its reader: it went well or badly, it waits, it is over, or it is merely said. */
export type Tone = 'good' | 'bad' | 'wait' | 'calm' | 'info';
