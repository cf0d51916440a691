package dev.weir.lab.peer;

import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;

/** Has a peer allocate and release what a trace says, in the peer's own numbers. */
public final class PeerActs implements TraceSink {
  private static final int OUTPUT_BYTES = 16 << 10;

  /**
   * What is said before the next question, so that all of it fits into a pipe, and a peer that
   * hangs is noticed by its silence.
   */
  private static final int UNASKED_BYTES = 48 << 10;

  /** Asks the player how it is; no slot is released by that number. */
  private static final int MARK = Integer.MIN_VALUE;

  private final PeerJvm peer;
  private final DataOutputStream acts;
  private int unaskedBytes;

  /** Talks to a peer that was started to {@code play}. */
  public PeerActs(PeerJvm peer) {
    this.peer = peer;
    this.acts = new DataOutputStream(new BufferedOutputStream(peer.child().input(), OUTPUT_BYTES));
  }

  @Override
  public void allocate(int slot, int bytes) throws IOException {
    say(slot, bytes);
  }

  @Override
  public void release(int slot) throws IOException {
    acts.writeInt(-1 - slot);
    said(Integer.BYTES);
  }

  /** As a new buffer and the end of the old one: the player copies nothing. */
  @Override
  public void grow(int slot, int bytes) throws IOException {
    release(slot);
    allocate(slot, bytes);
  }

  /** Gives the buffer in the slot another size, and perhaps another place. */
  public void resize(int slot, int bytes) throws IOException {
    say(slot, -bytes);
  }

  private void say(int slot, int bytes) throws IOException {
    acts.writeInt(slot);
    acts.writeInt(bytes);
    said(2 * Integer.BYTES);
  }

  private void said(int bytes) throws IOException {
    unaskedBytes += bytes;
    if (unaskedBytes > UNASKED_BYTES) {
      await();
    }
  }

  @Override
  public void phase(TracePhase phase) {}

  @Override
  public void pause(long micros) {}

  /**
   * Waits until all that was said is done.
   *
   * @return how the peer is then
   * @throws IOException if it has ended, or is silent for a minute
   */
  public Map<String, Object> await() throws IOException {
    unaskedBytes = 0;
    acts.writeInt(MARK);
    acts.flush();
    return peer.receive();
  }
}
