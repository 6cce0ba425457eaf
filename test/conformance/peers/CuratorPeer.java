import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicValue;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.recipes.queue.DistributedDelayQueue;
import org.apache.curator.framework.recipes.queue.DistributedPriorityQueue;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.x.discovery.ServiceDiscovery;
import org.apache.curator.x.discovery.ServiceDiscoveryBuilder;
import org.apache.curator.x.discovery.ServiceInstance;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;

/**
 * Runs Curator's recipes for the conformance test of interoperation. Each line of the input is
 * "ID COMMAND ARG…", each line of the output "ID RESULT". Commands run at the same time.
 */
public class CuratorPeer {
    private static final long LIMIT_SECONDS = 60;
    private static final QueueSerializer<String> TEXT = new QueueSerializer<>() {
        @Override
        public byte[] serialize(String item) {
            return item.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String deserialize(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    };

    /** The recipes in use, by their path. */
    private final Map<String, Object> used = new HashMap<>();
    private final CuratorFramework client;

    private CuratorPeer(CuratorFramework client) {
        this.client = client;
    }

    public static void main(String[] args) throws Exception {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(args[0], new ExponentialBackoffRetry(100, 5));
        client.start();
        CuratorPeer peer = new CuratorPeer(client);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; ) {
            String[] words = line.split(" ");
            // Each place of a lock belongs to a thread, so a path has one thread for all commands.
            peer.threadOf(words[2]).add(() -> {
                String result;
                try {
                    result = String.valueOf(peer.run(words));
                } catch (Throwable error) {
                    result = "failed: " + error;
                }
                synchronized (System.out) {
                    System.out.println(words[0] + " " + result);
                    System.out.flush();
                }
                return null;
            });
        }
        System.exit(0);
    }

    private final Map<String, BlockingQueue<Callable<Void>>> threads = new HashMap<>();

    private BlockingQueue<Callable<Void>> threadOf(String path) {
        return threads.computeIfAbsent(path, key -> {
            BlockingQueue<Callable<Void>> jobs = new LinkedBlockingQueue<>();
            Thread thread = new Thread(() -> {
                try {
                    for (; ; ) jobs.take().call();
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            });
            thread.setDaemon(true);
            thread.start();
            return jobs;
        });
    }

    @SuppressWarnings("unchecked")
    private <T> T use(String path, Callable<T> make) throws Exception {
        synchronized (used) {
            Object known = used.get(path);
            if (known == null) used.put(path, known = make.call());
            return (T) known;
        }
    }

    /**
     * Names the answers to a set of Java's client, its multi, a set of Curator's, which repeats what
     * a new connection may mend, and a read behind them, in one session.
     */
    private String tooLong(String path, byte[] data) throws Exception {
        List<ConnectionState> changes = new CopyOnWriteArrayList<>();
        client.create().forPath(path);
        // CONNECTED, of the first connection, may come late.
        client.getConnectionStateListenable()
                .addListener(
                        (any, state) -> {
                            if (state != ConnectionState.CONNECTED) changes.add(state);
                        });
        ZooKeeper zooKeeper = client.getZookeeperClient().getZooKeeper();
        long session = zooKeeper.getSessionId();
        List<String> answers = new ArrayList<>();
        List<Callable<?>> calls =
                List.of(
                        () -> zooKeeper.setData(path, data, -1),
                        () -> zooKeeper.multi(List.of(Op.setData(path, data, -1))),
                        () -> client.setData().forPath(path, data));
        for (Callable<?> call : calls) {
            try {
                call.call();
                answers.add("ok");
            } catch (KeeperException error) {
                answers.add(error.code().toString());
            }
        }
        answers.add(String.valueOf(zooKeeper.exists(path, false).getVersion()));
        answers.add(session == zooKeeper.getSessionId() && changes.isEmpty() ? "same" : "other");
        return String.join(" ", answers);
    }

    private Object run(String[] words) throws Exception {
        String path = words[2];
        String value = words.length > 3 ? words[3] : "";
        switch (words[1]) {
            case "toolong":
                return tooLong(path, new byte[Integer.parseInt(value)]);
            case "lock":
                return mutex(path).acquire(LIMIT_SECONDS, TimeUnit.SECONDS);
            case "unlock":
                mutex(path).release();
                return true;
            case "read":
                return shared(path).readLock().acquire(LIMIT_SECONDS, TimeUnit.SECONDS);
            case "unread":
                shared(path).readLock().release();
                return true;
            case "write":
                return shared(path).writeLock().acquire(LIMIT_SECONDS, TimeUnit.SECONDS);
            case "unwrite":
                shared(path).writeLock().release();
                return true;
            case "lock-all":
                return multiLock(path, value).acquire(LIMIT_SECONDS, TimeUnit.SECONDS);
            case "unlock-all":
                multiLock(path, value).release();
                return true;
            case "raise":
                new DistributedBarrier(client, path).setBarrier();
                return true;
            case "lower":
                new DistributedBarrier(client, path).removeBarrier();
                return true;
            case "wait":
                return new DistributedBarrier(client, path)
                        .waitOnBarrier(LIMIT_SECONDS, TimeUnit.SECONDS);
            case "replace":
                return new DistributedAtomicValue(client, path, new ExponentialBackoffRetry(10, 10))
                        .compareAndSet(value.getBytes(), words[4].getBytes()).succeeded();
            case "select":
                return select(path);
            case "resign":
                this.<CountDownLatch>use(path + " term", () -> null).countDown();
                return true;
            case "lease":
                return leases(path).add(
                        semaphore(path, value).acquire(LIMIT_SECONDS, TimeUnit.SECONDS));
            case "return":
                leases(path).take().close();
                return true;
            case "count":
                return withCount(path, Integer.parseInt(value));
            case "latch":
                latch(path, value).start();
                return true;
            case "lead":
                return latch(path, value).await(LIMIT_SECONDS, TimeUnit.SECONDS);
            case "leader":
                return latch(path, value).getLeader().getId();
            case "unlatch":
                latch(path, value).close();
                return true;
            case "put":
                queue(path, null).put(value);
                return true;
            case "delay":
                delayQueue(path, null).put(value, Long.parseLong(words[4]));
                return true;
            case "take":
                return taken(path, consumer -> queue(path, consumer)).take();
            case "take-delayed":
                return taken(path, consumer -> delayQueue(path, consumer)).take();
            case "prioritize":
                priorityQueue(path, null).put(value, Integer.parseInt(words[4]));
                return true;
            case "take-prioritized":
                return taken(path, consumer -> priorityQueue(path, consumer)).take();
            case "add":
                AtomicValue<Long> sum = new DistributedAtomicLong(
                        client, path, new ExponentialBackoffRetry(10, 10)).add(Long.valueOf(value));
                return sum.succeeded() ? sum.postValue() : "failed";
            case "announce":
                discovery(path).registerService(ServiceInstance.<String>builder()
                        .name("web").id(value).address("host.example.org").port(80).sslPort(443)
                        .payload("from Curator").build());
                return true;
            case "instances":
                return describe(discovery(path).queryForInstances("web"));
            case "node":
                PersistentNode node = new PersistentNode(
                        client, CreateMode.EPHEMERAL, false, path, value.getBytes());
                node.start();
                return node.waitForInitialCreate(LIMIT_SECONDS, TimeUnit.SECONDS);
            default:
                return "unknown command";
        }
    }

    private InterProcessMultiLock multiLock(String path, String other) throws Exception {
        return use(path + " all",
                () -> new InterProcessMultiLock(client, Arrays.asList(path, other)));
    }

    /** Waits for the leadership, which ends with "resign". */
    private boolean select(String path) throws Exception {
        CountDownLatch elected = new CountDownLatch(1);
        CountDownLatch term = use(path + " term", () -> new CountDownLatch(1));
        new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework client) throws Exception {
                elected.countDown();
                term.await();
            }
        }).start();
        return elected.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private InterProcessMutex mutex(String path) throws Exception {
        return use(path, () -> new InterProcessMutex(client, path));
    }

    private InterProcessReadWriteLock shared(String path) throws Exception {
        return use(path, () -> new InterProcessReadWriteLock(client, path));
    }

    private InterProcessSemaphoreV2 semaphore(String path, String countPath) throws Exception {
        return use(path, () -> {
            SharedCount count = new SharedCount(client, countPath, 0);
            count.start();
            return new InterProcessSemaphoreV2(client, path, count);
        });
    }

    private BlockingQueue<Lease> leases(String path) throws Exception {
        return use(path + " leases", LinkedBlockingQueue::new);
    }

    private boolean withCount(String path, int value) throws Exception {
        try (SharedCount count = new SharedCount(client, path, 0)) {
            count.start();
            count.setCount(value);
        }
        return true;
    }

    private LeaderLatch latch(String path, String id) throws Exception {
        return use(path, () -> new LeaderLatch(client, path, id));
    }

    private DistributedQueue<String> queue(String path, QueueConsumer<String> consumer)
            throws Exception {
        return use(path + (consumer == null ? "" : " taken"), () -> {
            DistributedQueue<String> queue =
                    QueueBuilder.builder(client, consumer, TEXT, path).buildQueue();
            queue.start();
            return queue;
        });
    }

    private DistributedDelayQueue<String> delayQueue(String path, QueueConsumer<String> consumer)
            throws Exception {
        return use(path + (consumer == null ? "" : " taken"), () -> {
            DistributedDelayQueue<String> queue =
                    QueueBuilder.builder(client, consumer, TEXT, path).buildDelayQueue();
            queue.start();
            return queue;
        });
    }

    private DistributedPriorityQueue<String> priorityQueue(
            String path, QueueConsumer<String> consumer) throws Exception {
        return use(path + (consumer == null ? "" : " taken"), () -> {
            DistributedPriorityQueue<String> queue =
                    QueueBuilder.builder(client, consumer, TEXT, path).buildPriorityQueue(1);
            queue.start();
            return queue;
        });
    }

    private interface Starter {
        void start(QueueConsumer<String> consumer) throws Exception;
    }

    /** The items that a consumer of this path has got; the first call starts it. */
    private BlockingQueue<String> taken(String path, Starter starter) throws Exception {
        BlockingQueue<String> items = use(path + " items", LinkedBlockingQueue::new);
        starter.start(new QueueConsumer<>() {
            @Override
            public void consumeMessage(String item) {
                items.add(item);
            }

            @Override
            public void stateChanged(CuratorFramework client, ConnectionState state) {}
        });
        return items;
    }

    private ServiceDiscovery<String> discovery(String path) throws Exception {
        return use(path, () -> {
            ServiceDiscovery<String> discovery = ServiceDiscoveryBuilder.builder(String.class)
                    .client(client).basePath(path).build();
            discovery.start();
            return discovery;
        });
    }

    private static String describe(Collection<ServiceInstance<String>> found) {
        List<String> lines = new ArrayList<>();
        for (ServiceInstance<String> each : found) {
            lines.add(each.getId() + "=" + each.getAddress() + ":" + each.getPort() + ":"
                    + each.getSslPort() + ":" + each.getPayload());
        }
        lines.sort(null);
        return String.join(",", lines);
    }
}
