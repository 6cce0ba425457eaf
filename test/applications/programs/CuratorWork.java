import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.retry.RetryNTimes;

/**
 * Works with Curator's recipes, and prints a history. Arguments: HOSTS WHO FOLDER. WHO "rest"
 * empties the queue and reads the counter.
 */
public class CuratorWork {
    private static final int SESSION_MS = 15_000;
    private static final int PAUSE_MS = 10;
    private static final String QUEUE = "/curator/queue";

    private interface Step {
        void run() throws Exception;
    }

    private final CuratorFramework client;
    private final String who;
    private final Path folder;
    private volatile boolean isEnded;

    private CuratorWork(String[] args) {
        who = args[1];
        folder = Path.of(args[2]);
        client = CuratorFrameworkFactory.newClient(
                args[0], SESSION_MS, SESSION_MS, new RetryForever(200));
        client.getConnectionStateListenable().addListener((self, state) -> {
            if (state == ConnectionState.SUSPENDED) say("suspended");
            if (state == ConnectionState.LOST) say("lost");
        });
    }

    public static void main(String[] args) throws Exception {
        CuratorWork work = new CuratorWork(args);
        work.client.start();
        if (work.who.equals("rest")) work.finish();
        else work.work();
        work.client.close();
        System.exit(0);
    }

    private void work() throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(client, "/curator/lock");
        InterProcessReadWriteLock both = new InterProcessReadWriteLock(client, "/curator/both");
        InterProcessSemaphoreV2 semaphore =
                new InterProcessSemaphoreV2(client, "/curator/semaphore", 2);
        LeaderSelector selector =
                new LeaderSelector(client, "/curator/election", new LeaderSelectorListenerAdapter() {
                    @Override
                    public void takeLeadership(CuratorFramework self) throws Exception {
                        hold("election", 100);
                    }
                });
        selector.autoRequeue();
        selector.start();
        DistributedQueue<String> queue = queue();
        int[] count = {0};
        List<Thread> threads = new ArrayList<>();
        threads.add(repeat(() -> hold(mutex, "lock")));
        threads.add(repeat(() -> hold(both.writeLock(), "write-lock")));
        threads.add(repeat(() -> {
            both.readLock().acquire();
            both.readLock().release();
        }));
        threads.add(repeat(() -> {
            Lease lease = semaphore.acquire();
            try {
                double begin = now();
                Thread.sleep(PAUSE_MS);
                sayHold("semaphore", begin);
            } finally {
                semaphore.returnLease(lease);
            }
        }));
        threads.add(repeat(() -> {
            boolean isSure = counter().increment().succeeded();
            say("add", "what", "counter", "isSure", isSure);
        }));
        threads.add(repeat(() -> {
            String item = who + "-" + ++count[0];
            boolean isSure = false;
            try {
                queue.put(item);
                isSure = true;
            } finally {
                say("put", "what", "queue", "item", item, "isSure", isSure);
            }
        }));
        while (System.in.read() >= 0) continue;
        isEnded = true;
        for (Thread thread : threads) thread.join();
        selector.close();
        queue.close();
    }

    private void finish() throws Exception {
        DistributedQueue<String> queue = queue();
        while (!client.getChildren().forPath(QUEUE).isEmpty()) Thread.sleep(PAUSE_MS);
        queue.close();
        say("value", "what", "counter", "value", counter().get().postValue());
    }

    private DistributedAtomicLong counter() {
        return new DistributedAtomicLong(client, "/curator/counter", new RetryNTimes(100, 10));
    }

    private DistributedQueue<String> queue() throws Exception {
        QueueConsumer<String> consumer = new QueueConsumer<>() {
            @Override
            public void consumeMessage(String item) {
                say("done", "what", "queue", "item", item);
            }

            @Override
            public void stateChanged(CuratorFramework self, ConnectionState state) {
            }
        };
        QueueSerializer<String> text = new QueueSerializer<>() {
            @Override
            public byte[] serialize(String item) {
                return item.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String deserialize(byte[] bytes) {
                return new String(bytes, StandardCharsets.UTF_8);
            }
        };
        // With the path of a lock, an item stays until its consumer is done.
        DistributedQueue<String> queue = QueueBuilder.builder(client, consumer, text, QUEUE)
                .lockPath("/curator/queue-locks")
                .putInBackground(false)
                .buildQueue();
        queue.start();
        return queue;
    }

    private Thread repeat(Step step) {
        Thread thread = new Thread(() -> {
            while (!isEnded) {
                try {
                    step.run();
                    Thread.sleep(PAUSE_MS);
                } catch (Exception error) {
                    say("error", "text", error.toString().replaceAll("[\"\\\\\n]", " "));
                }
            }
        });
        thread.start();
        return thread;
    }

    private void hold(InterProcessLock lock, String what) throws Exception {
        lock.acquire();
        try {
            hold(what, 2);
        } finally {
            lock.release();
        }
    }

    /** Has what the caller holds for a while. In a file of that name, two holders lose a number. */
    private void hold(String what, int ms) throws Exception {
        double begin = now();
        Path file = folder.resolve(what);
        int value = Integer.parseInt(Files.readString(file));
        Thread.sleep(ms);
        write(file, value + 1);
        sayHold(what, begin);
    }

    /** Unlike Files, it finishes in an interrupted thread, such as that of a leader. */
    private static void write(Path file, int value) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file.toFile())) {
            out.write(String.valueOf(value).getBytes(StandardCharsets.UTF_8));
        }
    }

    private static double now() {
        return System.nanoTime() / 1e6;
    }

    private void sayHold(String what, double begin) {
        say("hold", "what", what, "begin", begin, "end", now());
    }

    /** Prints an event of the history, with names and values in turns. */
    private static synchronized void say(String op, Object... fields) {
        StringBuilder line = new StringBuilder("{\"op\":\"" + op + "\"");
        for (int i = 0; i < fields.length; i += 2) {
            Object value = fields[i + 1];
            String text = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
            line.append(",\"").append(fields[i]).append("\":").append(text);
        }
        System.out.println(line.append(",\"at\":").append(now()).append('}'));
        System.out.flush();
    }
}
