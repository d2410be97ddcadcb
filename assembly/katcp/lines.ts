import { intern } from 'lib/intern'
import { get8, setWord, word } from 'lib/mem'
import { isEscape, scanWords, skipLine, skipName } from 'lib/words'
import {
  E_KATCP_BAD_ESCAPE,
  E_KATCP_BAD_ID,
  E_KATCP_BAD_NAME,
  E_KATCP_BAD_TYPE,
  E_KATCP_ID_RANGE,
  E_KATCP_LINE_TOO_LONG,
  E_KATCP_SPECIAL,
  E_KATCP_TOO_MANY_ARGUMENTS,
  E_KATCP_TRAILING_ESCAPE,
  KF_BLANKS,
  KF_ESCAPED,
  KF_WORD_ESCAPED,
  KP_ARGUMENTS,
  KP_BAD,
  KP_ESCAPE,
  KP_ID,
  KP_ID_END,
  KP_ID_FIRST,
  KP_NAME,
  KP_OVER,
  KP_START,
  KP_TYPE,
  KR_BYTES,
  KR_CODE,
  KR_COUNT,
  KR_END,
  KR_FLAGS,
  KR_ID,
  KR_NAME,
  KR_NAME_END,
  KR_START,
  KS_BAD,
  KS_BAD_AT,
  KS_BASE,
  KS_COUNT,
  KS_FLAGS,
  KS_ID,
  KS_INPUT_AT,
  KS_LINE,
  KS_LINES_AT,
  KS_MAX_ARGUMENTS,
  KS_MAX_LINE,
  KS_NAME_END,
  KS_PHASE,
  KS_WORD,
  KS_WORDS_AT,
  KW_ESCAPED,
} from '../abi/katcp'
import { ST_DONE, ST_FULL, ST_MORE } from '../abi/status'

const TAB: u32 = 9
const LF: u32 = 10
const CR: u32 = 13
const SP: u32 = 32

export function isBlank(b: u32): bool {
  return b === SP || b === TAB
}

export function isLineEnd(b: u32): bool {
  return b === LF || b === CR
}

/** 1 for `?`, 2 for `!`, 3 for `#`, 0 for no type. */
export function lineType(b: u32): u32 {
  if (b === 0x3f) return 1
  if (b === 0x21) return 2
  return b === 0x23 ? 3 : 0
}

/**
 * Reads every line of [input, end): a record on the line tape for each message and each bad line, the positions of its
 * arguments and one past its end on the word tape (guidelines rev 5.1, 2.1). The first offending byte wins.
 * ST_DONE: all read, between lines. ST_MORE: all read, inside a line, its state in the block. ST_FULL: no room on the line
 * tape; KS_INPUT_AT is the line to go on with.
 * The word tape must hold (end - input + 6) / 2 words: that many fit no input.
 */
export function katcpScan(input: u32, end: u32, lines: u32, linesEnd: u32, words: u32): u32 {
  const base: u32 = word(KS_BASE)
  const maxLine: u32 = word(KS_MAX_LINE)
  const maxArguments: u32 = word(KS_MAX_ARGUMENTS)
  let phase: u32 = word(KS_PHASE)
  let line: u32 = 0
  let nameEnd: u32 = 0
  let id: u32 = 0
  let count: u32 = 0
  let bad: u32 = 0
  let badAt: u32 = 0
  if (phase !== KP_START) {
    line = word(KS_LINE)
    nameEnd = word(KS_NAME_END)
    id = word(KS_ID)
    count = word(KS_COUNT)
    bad = word(KS_BAD)
    badAt = word(KS_BAD_AT)
  }
  let p: u32 = input
  let record: u32 = lines
  let out: u32 = words
  /** First word of the current line on this tape; `count` has those of earlier calls. */
  let first: u32 = words
  let status: u32 = ST_MORE

  for (;;) {
    if (phase === KP_START) {
      while (p < end && isLineEnd(get8(p))) p++
      if (p === end) {
        status = ST_DONE
        break
      }
      if (linesEnd - record < KR_BYTES) {
        status = ST_FULL
        break
      }
      line = p - input + base
      nameEnd = 0
      id = 0
      count = 0
      bad = 0
      badAt = 0
      first = out
      setWord(KS_FLAGS, 0)
      phase = KP_TYPE
    }
    if (p === end) break

    const left: u32 = phase === KP_OVER ? 0 : maxLine - (p - input + base - line)
    const stop: u32 = end - p > left ? p + left : end
    let fault: u32 = 0
    let faultAt: u32 = 0

    if (phase === KP_TYPE) {
      while (p < stop && isBlank(get8(p))) p++
      if (p < stop) {
        if (isLineEnd(get8(p))) {
          phase = KP_START
          continue
        }
        const type: u32 = lineType(get8(p))
        if (type === 0 || p - input + base !== line) {
          fault = E_KATCP_BAD_TYPE
          faultAt = p
        } else {
          setWord(KS_FLAGS, type)
          phase = KP_NAME
          p++
        }
      }
    }
    if (phase === KP_NAME && fault === 0 && p < stop) {
      const begin: bool = p - input + base - line === 1
      const b: u32 = get8(p)
      if (begin && (b === 45 || (b >= 48 && b <= 57))) {
        fault = E_KATCP_BAD_NAME
        faultAt = p
      } else {
        p = skipName(p, stop)
        if (p < stop) {
          const after: u32 = get8(p)
          nameEnd = p - input + base
          if (nameEnd - line === 1) {
            fault = E_KATCP_BAD_NAME
            faultAt = p
          } else if (isBlank(after)) {
            phase = KP_ARGUMENTS
            p++
            setWord(KS_WORD, nameEnd + 1)
          } else if (isLineEnd(after)) {
            phase = KP_ARGUMENTS
            setWord(KS_WORD, nameEnd)
          } else if (after === 0x5b) {
            phase = KP_ID_FIRST
            p++
          } else {
            fault = E_KATCP_BAD_NAME
            faultAt = p
          }
        }
      }
    }
    if (phase === KP_ID_FIRST && p < stop) {
      const b: u32 = get8(p)
      if (b >= 49 && b <= 57) {
        id = b - 48
        phase = KP_ID
        p++
      } else {
        fault = E_KATCP_BAD_ID
        faultAt = p
      }
    }
    if (phase === KP_ID && fault === 0) {
      while (p < stop) {
        const b: u32 = get8(p)
        if (b < 48 || b > 57) break
        const digit: u32 = b - 48
        if (id > 214748364 || (id === 214748364 && digit > 7)) {
          fault = E_KATCP_ID_RANGE
          break
        }
        id = ((id << 3) >>> 0) + id + id + digit
        p++
      }
      if (fault === 0 && p < stop) {
        if (get8(p) === 0x5d) {
          phase = KP_ID_END
          p++
        } else {
          fault = E_KATCP_BAD_ID
          faultAt = p
        }
      }
    }
    if (phase === KP_ID_END && p < stop) {
      const b: u32 = get8(p)
      if (isBlank(b)) {
        phase = KP_ARGUMENTS
        p++
        setWord(KS_WORD, p - input + base)
      } else if (isLineEnd(b)) {
        phase = KP_ARGUMENTS
        setWord(KS_WORD, p - input + base)
      } else {
        fault = E_KATCP_BAD_ID
        faultAt = p
      }
    }
    if (phase === KP_ESCAPE && p < stop) {
      const b: u32 = get8(p)
      if (isEscape(b)) {
        setWord(KS_FLAGS, (word(KS_FLAGS) | KF_ESCAPED | KF_WORD_ESCAPED) >>> 0)
        phase = KP_ARGUMENTS
        p++
      } else {
        fault = isBlank(b) || isLineEnd(b) ? E_KATCP_TRAILING_ESCAPE : E_KATCP_BAD_ESCAPE
        faultAt = p
      }
    }
    if (phase === KP_ARGUMENTS && p < stop) {
      const seen: u32 = count + ((out - first) >>> 2)
      p = scanWords(p, stop, input, base, out, out + (((maxArguments - seen) << 2) >>> 0))
      out = word(KS_WORDS_AT)
      if (p < stop) {
        const b: u32 = get8(p)
        const begin: u32 = word(KS_WORD)
        const at: u32 = p - input + base
        if (isLineEnd(b)) {
          let flags: u32 = word(KS_FLAGS)
          let total: u32 = count + ((out - first) >>> 2)
          if (at !== begin && total === maxArguments) {
            fault = E_KATCP_TOO_MANY_ARGUMENTS
            faultAt = begin
          } else {
            if (at !== begin) {
              setWord(out, (flags & KF_WORD_ESCAPED) !== 0 ? begin + KW_ESCAPED : begin)
              out = out + 4
              total = total + 1
            } else if (total !== 0) flags = (flags | KF_BLANKS) >>> 0
            setWord(out, at + 1)
            out = out + 4
            setWord(record + KR_CODE, 0)
            setWord(record + KR_START, line)
            setWord(record + KR_NAME_END, nameEnd)
            setWord(record + KR_ID, id)
            setWord(record + KR_COUNT, total)
            setWord(record + KR_END, at)
            setWord(record + KR_NAME, line >= base ? intern(input + (line + 1 - base), nameEnd - line - 1) : 0)
            setWord(record + KR_FLAGS, flags)
            record = record + KR_BYTES
            phase = KP_START
            continue
          }
        } else if (isBlank(b)) {
          fault = E_KATCP_TOO_MANY_ARGUMENTS
          faultAt = begin
        } else if (b === 0x5c) {
          p++
          phase = KP_ESCAPE
          continue
        } else {
          fault = E_KATCP_SPECIAL
          faultAt = p
        }
      }
    }

    if (fault !== 0) {
      bad = fault
      if (fault === E_KATCP_ID_RANGE) badAt = nameEnd + 1 - line
      else if (fault === E_KATCP_TOO_MANY_ARGUMENTS) badAt = faultAt - line
      else badAt = faultAt - input + base - line
      phase = KP_BAD
    }
    if (phase === KP_BAD) p = skipLine(p, stop)
    if (p === stop && stop < end) {
      if (bad === 0) {
        bad = E_KATCP_LINE_TOO_LONG
        badAt = maxLine
      }
      phase = KP_OVER
    }
    if (phase === KP_OVER) p = skipLine(p, end)
    if (bad !== 0) {
      out = first
      count = 0
    }
    if (phase >= KP_BAD && p < end) {
      setWord(record + KR_CODE, bad)
      setWord(record + KR_START, line)
      setWord(record + KR_NAME_END, badAt)
      setWord(record + KR_ID, 0)
      setWord(record + KR_COUNT, 0)
      setWord(record + KR_END, p - input + base)
      setWord(record + KR_NAME, 0)
      setWord(record + KR_FLAGS, 0)
      record = record + KR_BYTES
      phase = KP_START
    }
  }

  setWord(KS_PHASE, phase)
  if (phase !== KP_START) {
    setWord(KS_LINE, line)
    setWord(KS_NAME_END, nameEnd)
    setWord(KS_ID, id)
    setWord(KS_COUNT, count + ((out - first) >>> 2))
    setWord(KS_BAD, bad)
    setWord(KS_BAD_AT, badAt)
  }
  setWord(KS_INPUT_AT, p)
  setWord(KS_LINES_AT, record)
  setWord(KS_WORDS_AT, out)
  return status
}
