package dev.weir.lab.trace;

import java.util.ArrayList;
import java.util.List;

/** Keeps the events of a small trace as text. */
public final class RecordingSink implements TraceSink {
  public final List<String> events = new ArrayList<>();

  @Override
  public void allocate(int slot, int bytes) {
    events.add("allocate " + slot + " " + bytes);
  }

  @Override
  public void release(int slot) {
    events.add("release " + slot);
  }

  @Override
  public void grow(int slot, int bytes) {
    events.add("grow " + slot + " " + bytes);
  }

  @Override
  public void thread(int thread) {
    events.add("thread " + thread);
  }

  @Override
  public void lost(long count) {
    events.add("lost " + count);
  }

  @Override
  public void phase(TracePhase phase) {
    events.add("phase " + phase);
  }

  @Override
  public void pause(long micros) {
    events.add("pause " + micros);
  }
}
