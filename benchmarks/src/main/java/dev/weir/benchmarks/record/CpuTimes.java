package dev.weir.benchmarks.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringTokenizer;

/**
 * What the processors of this machine did since it started, in the kernel's ticks; all 0 where the
 * system does not tell.
 *
 * @param total ticks of all processors
 * @param idle of them, with nothing to do
 * @param stolen of them, taken by a hypervisor
 * @param own of them, used by this process and those of its children that have ended
 */
record CpuTimes(long total, long idle, long stolen, long own) {
  private static final Path MACHINE = Path.of("/proc/stat");
  private static final Path PROCESS = Path.of("/proc/self/stat");

  /** Columns of {@link #MACHINE} before those of guests. */
  private static final int COLUMNS = 8;

  private static final int IDLE = 3;
  private static final int WAITING = 4;
  private static final int STOLEN = 7;

  /** Columns of {@link #PROCESS}, after the name in parentheses, with ticks of its own. */
  private static final int FIRST_OWN = 11;

  private static final int LAST_OWN = 14;

  static CpuTimes now() {
    try {
      StringTokenizer machine = new StringTokenizer(Files.readAllLines(MACHINE).getFirst());
      machine.nextToken();
      long total = 0;
      long idle = 0;
      long stolen = 0;
      for (int column = 0; column < COLUMNS; column++) {
        long ticks = Long.parseLong(machine.nextToken());
        total += ticks;
        idle += column == IDLE || column == WAITING ? ticks : 0;
        stolen += column == STOLEN ? ticks : 0;
      }
      return new CpuTimes(total, idle, stolen, ownTicks());
    } catch (IOException absent) {
      return new CpuTimes(0, 0, 0, 0);
    }
  }

  private static long ownTicks() throws IOException {
    String line = Files.readString(PROCESS);
    StringTokenizer columns = new StringTokenizer(line.substring(line.lastIndexOf(')') + 1));
    long own = 0;
    for (int column = 0; column <= LAST_OWN; column++) {
      String ticks = columns.nextToken();
      own += column >= FIRST_OWN ? Long.parseLong(ticks) : 0;
    }
    return own;
  }

  /** The share of stolen time since {@code start}, in percent. */
  double stolenPercent(CpuTimes start) {
    return percent(stolen - start.stolen, start);
  }

  /** The share of the time that other processes were busy since {@code start}, in percent. */
  double othersPercent(CpuTimes start) {
    long busy = total - start.total - (idle - start.idle) - (stolen - start.stolen);
    return percent(Math.max(0, busy - (own - start.own)), start);
  }

  private double percent(long ticks, CpuTimes start) {
    return total == start.total ? 0 : 100.0 * ticks / (total - start.total);
  }
}
