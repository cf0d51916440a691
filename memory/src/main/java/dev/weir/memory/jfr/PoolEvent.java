package dev.weir.memory.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A pool at one moment. */
@Name("weir.PoolStatistics")
@Label("Pool Statistics")
@Description(
    "A pool: resident = live + dirty; live = blocks + free slots + uncommitted + hardening")
@Category("Weir")
@Period("10 s")
@StackTrace(false)
@SuppressWarnings("unused") // the recording reads the fields
final class PoolEvent extends Event {
  @Label("Pool")
  @Nullable String pool;

  @Label("Limit")
  @DataAmount
  long limitBytes;

  @Label("Live Pages")
  @DataAmount
  long liveBytes;

  @Label("Dirty Pages")
  @DataAmount
  long dirtyBytes;

  @Label("Peak Resident")
  @DataAmount
  long peakResidentBytes;

  @Label("Promised")
  @DataAmount
  long promisedBytes;

  @Label("Blocks")
  long blocks;

  @Label("Blocks Size")
  @DataAmount
  long blockBytes;

  @Label("Free Slots")
  @DataAmount
  long freeSlotBytes;

  @Label("Uncommitted")
  @DataAmount
  long uncommittedBytes;

  @Label("Hardening and Quarantine")
  @DataAmount
  long hardeningBytes;

  @Label("Purged So Far")
  @DataAmount
  long purgedBytes;
}
